/** The alert rules and dashboards of deploy/. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { ROOT } from './process.ts';

export const ALERTS_FILE = join(ROOT, 'deploy', 'prometheus', 'alerts.yml');

export interface AlertRule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}

export interface AlertRules {
  groups: { name: string; rules: AlertRule[] }[];
}

export interface Dashboard {
  uid: string;
  title: string;
  schemaVersion: number;
  panels: Panel[];
}

export interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  datasource?: { type: string; uid: string };
  targets?: { refId: string; expr: string; legendFormat: string }[];
}

/** A query of a panel. */
export interface PanelQuery {
  dashboard: string;
  panel: string;
  expr: string;
}

export function readAlertRules(): AlertRules {
  return load(readFileSync(ALERTS_FILE, 'utf8')) as AlertRules;
}

export function readAlerts(): AlertRule[] {
  return readAlertRules().groups.flatMap(({ rules }) => rules);
}

export function readDashboards(): Dashboard[] {
  return globSync(join(ROOT, 'deploy', 'grafana', 'dashboards', '*.json')).map(
    (file) => JSON.parse(readFileSync(file, 'utf8')) as Dashboard,
  );
}

/** Returns the queries of all panels, as Grafana sends them for this interval. */
export function panelQueries(rate_interval: string): PanelQuery[] {
  return readDashboards().flatMap(({ title: dashboard, panels }) =>
    panels.flatMap(({ title: panel, targets = [] }) =>
      targets.map(({ expr }) => ({ dashboard, panel, expr: expr.replaceAll('$__rate_interval', rate_interval) })),
    ),
  );
}
