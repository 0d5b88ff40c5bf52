// The DNS records of the sender's domain, queried from a DNS server on loopback.

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { afterAll, expect, test } from 'vitest'
import { type CheckContext, thisMachine } from './check.ts'
import { mailChecks } from './mail-domain.ts'

/** The zone of the server, by name. A name that is null makes the server fail. */
let zone: { readonly [name: string]: readonly string[] | null } = {}
const server = createSocket('udp4', (query, { port, address }) => server.send(answer(query), port, address))
server.bind(0, '127.0.0.1')
await once(server, 'listening')
afterAll(() => server.close())

/** A response to a query with one question: its TXT records, NXDOMAIN, or a failure. */
function answer(query: Buffer): Buffer {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  const isMx = query.readUInt16BE(at + 1) === types.mx
  const name = labels.join('.').toLowerCase()
  const records = zone[isMx ? `MX ${name}` : name]
  const code = records === null ? 2 : records === undefined ? 3 : 0
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(0x8180 | code, 2)
  header.writeUInt16BE(records?.length ?? 0, 6)
  header.writeUInt32BE(0, 8)
  return Buffer.concat([
    header,
    query.subarray(12, at + 5),
    ...(records ?? []).map(isMx ? mxRecord : txtRecord),
  ])
}

const types = { mx: 15, txt: 16 }

/** Strings of at most 255 bytes. */
function txtRecord(text: string): Buffer {
  return record(types.txt, text.match(/.{1,255}/gs) ?? [''])
}

function mxRecord(host: string): Buffer {
  return record(types.mx, [...host.split('.'), ''], Buffer.of(0, 10))
}

function record(type: number, parts: readonly string[], prefix = Buffer.alloc(0)): Buffer {
  const strings = parts.map((part) => Buffer.concat([Buffer.of(part.length), Buffer.from(part)]))
  const data = Buffer.concat([prefix, ...strings])
  const head = Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 60, 0, 0])
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

async function check(
  records: typeof zone,
  from = 'Shop <shop@mail.example.com>',
  selectors = ['pm'],
  returnPath: string | null = null,
) {
  zone = records
  const mail = {
    smtpUrl: 'smtp://mail.example.com',
    outbox: null,
    from,
    events: { postmark: null, sesTopics: [], returnPath },
    dkimSelectors: selectors,
    dnsServer: `127.0.0.1:${server.address().port}`,
  }
  return mailChecks[0]?.run({ config: { mail }, machine: thisMachine } as unknown as CheckContext)
}

const key = `v=DKIM1; k=rsa; p=${'M'.repeat(392)}`
const valid = {
  'mail.example.com': ['google-site-verification=x', 'v=spf1 include:spf.example.net -all'],
  'pm._domainkey.mail.example.com': [key],
  '_dmarc.mail.example.com': ['v=DMARC1; p=reject; rua=mailto:d@example.com'],
}

test('a domain with SPF, DKIM and DMARC is ok, even if DMARC is at the parent domain', async () => {
  const detail = 'mail.example.com has valid SPF, DKIM and DMARC records.'
  expect(await check(valid)).toMatchObject({ status: 'ok', detail })
  const { '_dmarc.mail.example.com': dmarc, ...others } = valid
  expect(await check({ ...others, '_dmarc.example.com': dmarc })).toMatchObject({ status: 'ok', detail })
})

test('without selectors, DKIM is not checked, and the check says so', async () => {
  const finding = await check(valid, 'shop@mail.example.com', [])

  expect(finding).toMatchObject({ status: 'ok', detail: expect.stringContaining('MAIL_DKIM_SELECTORS') })
})

test.each([
  ['mail.example.com', undefined, 'mail.example.com has no SPF record.'],
  ['mail.example.com', ['v=spf1 -all', 'v=spf1 ~all'], 'has 2 SPF records'],
  ['mail.example.com', ['v=spf1 +all'], 'allows every server to send for it'],
  ['mail.example.com', ['v=spf10 -all'], 'has no SPF record'],
  ['pm._domainkey.mail.example.com', undefined, 'There is no DKIM record at pm._domainkey.mail.example.com.'],
  ['pm._domainkey.mail.example.com', ['v=DKIM1; p='], 'is revoked'],
  ['_dmarc.mail.example.com', undefined, 'mail.example.com has no DMARC record.'],
  ['_dmarc.mail.example.com', ['v=DMARC1; rua=mailto:d@example.com'], 'has no valid policy'],
])('%s with %j is reported', async (name, records, detail) => {
  const { [name]: _, ...others } = valid as Record<string, readonly string[]>
  const finding = await check(records === undefined ? others : { ...others, [name]: records })

  expect(finding).toMatchObject({ status: 'warn', detail: expect.stringContaining(detail) })
})

test('a DNS server that fails is an error, and is not reported as missing records', async () => {
  await expect(check({ ...valid, 'mail.example.com': null })).rejects.toThrow()
})

test('the domain of the return path needs an SPF record and a mail server', async () => {
  const withPath = (records: typeof zone) =>
    check({ ...valid, ...records }, 'shop@mail.example.com', ['pm'], 'bounces@returns.example.com')

  expect(await withPath({})).toMatchObject({
    status: 'warn',
    detail:
      'returns.example.com has no SPF record. returns.example.com has no MX record, so e-mails cannot be returned to MAIL_RETURN_PATH, and bounces are not recorded.',
  })
  const spf = ['v=spf1 mx -all']
  expect(
    await withPath({ 'returns.example.com': spf, 'MX returns.example.com': ['mx.example.com'] }),
  ).toMatchObject({ status: 'ok' })
})
