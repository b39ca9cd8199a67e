import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { problemCode } from '@association-service/contracts';
import { isPublicAddress } from '../src/addresses/address.rules.ts';
import { NO_ADDRESSES, NOT_ALLOWED, publicAddresses, type Resolver } from '../src/addresses/public-lookup.ts';
import { requirePublicHost } from '../src/endpoints/check-url.ts';
import { urlRefusal } from '../src/addresses/url.rules.ts';

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '192.0.1.1',
  '198.17.255.255',
  '198.20.0.0',
  '203.0.112.255',
  '223.255.255.255',
  '161.25.255.255',
  '161.27.0.0',
  '166.7.255.255',
  '166.12.0.0',
  '168.63.129.15',
  '2606:4700:4700::1111',
  '2a00:1450:4001:80b::200e',
  '2001:200::1',
  '2001:4860:4860::8888',
  '3ffe::1',
];

const DENIED = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.0',
  '100.127.255.255',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.255.255',
  '161.26.0.0',
  '161.26.255.255',
  '166.8.0.0',
  '166.11.255.255',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '192.31.196.1',
  '192.52.193.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.255.255',
  '192.175.48.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.254',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::808:808',
  '64:ff9b:1::1',
  '100::1',
  '100:0:0:1::1',
  '2001::1',
  '2001:0:53aa:64c:0:0:807f:fffe',
  '2001:2::1',
  '2001:3::1',
  '2001:4:112::1',
  '2001:10::1',
  '2001:20::1',
  '2001:30::1',
  '2001:1ff:ffff::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  '2002:808:808::1',
  '2620:4f:8000::1',
  '3fff::1',
  '3fff:fff::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  '2606:4700:4700::1111%eth0',
  'febf::1',
  'fec0::1',
  'ff02::1',
];

/** Forms that are no address, or not the only form of one: DNS and URL give none of them. */
const UNREADABLE = [
  '',
  '127.1',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '2130706433',
  '1.2.3',
  '1.2.3.4.5',
  '256.1.1.1',
  'example.com',
  '[::1]',
  '::g',
];

describe('addresses', () => {
  for (const address of PUBLIC) it(`permits ${address}`, () => assert.equal(isPublicAddress(address), true));
  for (const address of [...DENIED, ...UNREADABLE]) {
    it(`denies ${address || 'nothing'}`, () => assert.equal(isPublicAddress(address), false));
  }
});

const ACCEPTED_URLS = [
  'https://example.com',
  'https://example.com/hook?token=1',
  'HTTPS://Example.COM:8443/hook',
  'https://xn--bcher-kva.example/',
  'https://bücher.example/',
  'https://8.8.8.8/hook',
  'https://[2606:4700:4700::1111]:444/',
  'https://a.b.c.d.example.com/',
  'https://localhost.example.com/',
  'https://internal.example.com/',
  `https://${'a.'.repeat(123)}example/`,
];

const REFUSED_URLS = [
  '',
  'example.com',
  '//example.com',
  'ftp://example.com',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'https:',
  'https://',
  'http://example.com',
  'https:example.com',
  'https:/example.com',
  String.raw`https:\\example.com`,
  String.raw`https://\example.com`,
  'https:///example.com',
  'https://exa mple.com',
  'https://exa\nmple.com',
  'https://example.com/\nx',
  'https://example.com/ x',
  'https://example.com/\u0085x',
  'https://example.com/\u0000x',
  'https://example.com:0/',
  'https://user@example.com',
  'https://user:secret@example.com',
  'https://:secret@example.com',
  'https://example.com#part',
  'https://example.com#',
  `https://${'a.'.repeat(123)}example1/`,
  'https://localhost',
  'https://LOCALHOST',
  'https://localhost.',
  'https://a.localhost',
  'https://intranet',
  'https://printer.local',
  'https://example.com.',
  'https://metadata.google.internal',
  'https://router.home.arpa',
  'https://x.invalid',
  'https://x.test',
  'https://x.onion',
  'https://127.0.0.1',
  'https://127.0.0.1.',
  'https://127.1',
  'https://127.0.1',
  'https://2130706433',
  'https://0x7f000001',
  'https://0x7f.1',
  'https://0177.0.0.1',
  'https://017700000001',
  'https://0x7f.0x0.0x0.0x1',
  'https://0',
  'https://0.0.0.0',
  'https://10.0.0.1',
  'https://169.254.169.254/latest/meta-data/',
  'https://0xa9fea9fe',
  'https://2852039166',
  'https://192.168.1.1',
  'https://172.16.0.1',
  'https://100.64.0.1',
  'https://255.255.255.255',
  'https://①②⑦.⓪.⓪.①',
  'https://127。0。0。1',
  'https://%31%32%37.0.0.1',
  'https://127.0.0.1%00.example.com',
  'https://1.2.3.4.5',
  'https://256.256.256.256',
  'https://[::1]',
  'https://[::]',
  'https://[::ffff:127.0.0.1]',
  'https://[::ffff:7f00:1]',
  'https://[::127.0.0.1]',
  'https://[64:ff9b::7f00:1]',
  'https://[64:ff9b::169.254.169.254]',
  'https://[2002:7f00:1::]',
  'https://[2001:0:53aa:64c::1]',
  'https://[fd00:ec2::254]',
  'https://[fe80::1]',
  'https://[fe80::1%25eth0]',
  'https://[fec0::1]',
  'https://[ff02::1]',
  'https://[2001:db8::1]',
  'https://[::ffff:0:127.0.0.1]',
  'https://[0:0:0:0:0:0:0:1]',
];

describe('URLs', () => {
  for (const url of ACCEPTED_URLS) {
    it(`accepts ${url}`, () => assert.equal(urlRefusal(url, { allows_private: false }), undefined));
  }
  for (const url of REFUSED_URLS) {
    it(`refuses ${JSON.stringify(url)}`, () => assert.notEqual(urlRefusal(url, { allows_private: false }), undefined));
  }

  it('with private addresses, accepts http and every host', () => {
    for (const url of ['http://127.0.0.1:9/', 'http://localhost', 'https://[::1]', 'http://receiver:8080/hook']) {
      assert.equal(urlRefusal(url, { allows_private: true }), undefined, url);
    }
  });

  it('with private addresses, still refuses other protocols, passwords, fragments and hosts that are too long', () => {
    const long = `http://${'a'.repeat(254)}`;
    for (const url of ['ftp://127.0.0.1', 'http:127.0.0.1', 'http://a:b@127.0.0.1', 'http://127.0.0.1#a', long]) {
      assert.notEqual(urlRefusal(url, { allows_private: true }), undefined, url);
    }
  });
});

const failing = (code: string) => Promise.reject<string[]>(Object.assign(new Error(code), { code }));
const resolving = (
  v4: Promise<string[]> | string[],
  v6: Promise<string[]> | string[] = failing('ENODATA'),
): Resolver => ({
  resolve4: () => Promise.resolve(v4),
  resolve6: () => Promise.resolve(v6),
});

describe('names', () => {
  it('have all their addresses checked', async () => {
    assert.deepEqual(await publicAddresses(resolving(['8.8.8.8'], ['2606:4700::1']), 'a.example'), [
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ]);
    const bad: [string[], string[]][] = [
      [['8.8.8.8', '10.0.0.1'], []],
      [['8.8.8.8'], ['::1']],
      [['169.254.169.254'], ['2606:4700::1']],
      [[], ['::ffff:127.0.0.1']],
    ];
    for (const [v4, v6] of bad) {
      await assert.rejects(publicAddresses(resolving(v4, v6), 'a.example'), { code: NOT_ALLOWED });
    }
  });

  it('need only one kind of address', async () => {
    assert.deepEqual(await publicAddresses(resolving(failing('ENODATA'), ['2606:4700::1']), 'a.example'), [
      { address: '2606:4700::1', family: 6 },
    ]);
  });

  it('are told apart from name servers that do not answer', async () => {
    await assert.rejects(publicAddresses(resolving(failing('ENOTFOUND'), failing('ENODATA')), 'a'), {
      code: NO_ADDRESSES,
    });
    await assert.rejects(publicAddresses(resolving([], []), 'a'), { code: NO_ADDRESSES });
    await assert.rejects(publicAddresses(resolving(failing('ETIMEOUT'), failing('ENODATA')), 'a'), {
      code: 'ETIMEOUT',
    });
  });
});

describe('a URL that is saved', () => {
  const isRefused = async (resolver: Resolver, url = 'https://a.example.com/') => {
    try {
      await requirePublicHost({ allows_private: false, resolver }, url);
      return false;
    } catch (error) {
      assert.equal(problemCode(error), 'validation_failed');
      return true;
    }
  };

  it('is refused if its host is unknown, or has an address that is not public', async () => {
    assert.equal(await isRefused(resolving(['8.8.8.8'])), false);
    assert.equal(await isRefused(resolving(['10.0.0.1'])), true);
    assert.equal(await isRefused(resolving(failing('ENOTFOUND'), failing('ENOTFOUND'))), true);
  });

  it('is accepted if the name servers do not answer, as every connection is checked', async () => {
    assert.equal(await isRefused(resolving(failing('ESERVFAIL'), failing('ETIMEOUT'))), false);
  });
});
