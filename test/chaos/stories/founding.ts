import { expect } from 'chai';
import { claimedBy, type Story } from './story.ts';

/** A repeated request founds only one association. */
export const founding: Story = {
  title: 'the founding of an association',
  group: { size: 1, pins: false },
  acts: [
    {
      what: 'founding an association',
      deaths: [claimedBy('membership')],
      asked: ({ president }) => ({
        by: president.http,
        path: '/associations',
        body: {
          name: 'Another',
          type: 'solidarity',
          currency: 'XAF',
          contribution_amount: 500,
          contribution_frequency: 'weekly',
        },
      }),
      needs_repeat: true,
      async then({ president }) {
        expect((await president.http.ok('/associations/my')).data).to.have.length(2);
      },
    },
  ],
};
