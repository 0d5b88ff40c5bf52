import { expect, test } from 'vitest'
import { compose } from './compose.ts'
import { readConfig } from './config.ts'

const DATABASE_URL = 'postgres://switchyard@localhost/switchyard'
const key = Buffer.alloc(32, 'k')
const required = { DATABASE_URL, MASTER_KEYS: `new:${key.toString('base64')}` }

test('the address of the database and a master key are all that is needed', () => {
  expect(readConfig(required)).toMatchObject({
    databaseUrl: DATABASE_URL,
    masterKeys: [{ id: 'new', key }],
    natsUrl: null,
    listen: { live: { host: '127.0.0.1', port: 8080 }, test: { host: '127.0.0.1', port: 8081 } },
    addresses: { live: 'http://127.0.0.1:8080', test: 'http://127.0.0.1:8081' },
    requestsPerSecond: { live: 100, test: 50 },
  })
})

test('addresses for callers lose a slash at their end, since paths begin with one', () => {
  const { addresses } = readConfig({ ...required, LIVE_BASE_URL: 'https://api.example.com/' })

  expect(addresses.live).toBe('https://api.example.com')
})

test('the first master key comes first, and the older ones after it', () => {
  const older = Buffer.alloc(32, 'o')
  const MASTER_KEYS = `${required.MASTER_KEYS}, older:${older.toString('base64')}`

  expect(readConfig({ DATABASE_URL, MASTER_KEYS }).masterKeys).toEqual([
    { id: 'new', key },
    { id: 'older', key: older },
  ])
})

test.each([
  ['without a name', key.toString('base64')],
  ['with a name of other characters', `New Key:${key.toString('base64')}`],
  ['that is too short', `new:${key.toString('base64').slice(4)}`],
  ['that is followed by nothing', `${required.MASTER_KEYS},`],
])('a master key %s is refused, and not repeated in the message', (_, MASTER_KEYS) => {
  const reading = () => readConfig({ DATABASE_URL, MASTER_KEYS })

  // The whole message, so that nothing else stands in it.
  expect(reading).toThrow(
    /^MASTER_KEYS must be <name>:<32 bytes as base64>, such as 2026-11:\$\(openssl rand -base64 32\)\.$/,
  )
})

test('addresses that are not public are called only if they are named', () => {
  const WEBHOOK_ALLOW_CIDRS = '10.1.0.0/16, fd00::/8'

  expect(readConfig(required).outbound).toEqual({ allowCidrs: [], allowLoopback: false })
  expect(readConfig({ ...required, WEBHOOK_ALLOW_CIDRS, WEBHOOK_ALLOW_LOOPBACK: 'true' }).outbound).toEqual({
    allowCidrs: ['10.1.0.0/16', 'fd00::/8'],
    allowLoopback: true,
  })
})

test('mails leave by a server that is named, with a sender, or lie in a folder', () => {
  const MAIL_FROM = 'Receipts <receipts@example.com>'
  const SMTP_URL = 'smtps://user:hunter2@mail.example.com:465'

  expect(readConfig(required).mail).toMatchObject({ smtpUrl: null, outbox: null })
  expect(readConfig({ ...required, SMTP_URL, MAIL_FROM }).mail).toMatchObject({
    smtpUrl: SMTP_URL,
    from: MAIL_FROM,
  })
  expect(readConfig({ ...required, MAIL_OUTBOX: 'mails' }).mail).toMatchObject({ outbox: 'mails' })
  expect(() => readConfig({ ...required, SMTP_URL })).toThrow('MAIL_FROM is not set')
  // The address holds a password, so the message does not repeat it.
  const odd = () => readConfig({ ...required, SMTP_URL: 'https://user:hunter2@mail.example.com', MAIL_FROM })
  expect(odd).toThrow(/^SMTP_URL must look like smtps:\/\/user:password@mail\.example\.com:465\.$/)
})

test('there is a simulator only where the operator says so', () => {
  expect(readConfig(required).simulatorUrl).toBeNull()
  expect(readConfig({ ...required, SIMULATOR_URL: 'http://127.0.0.1:8082/' }).simulatorUrl).toBe(
    'http://127.0.0.1:8082',
  )
})

test('a simulator that would never be called is noticed at the start', () => {
  const config = readConfig({ ...required, SIMULATOR_URL: 'http://127.0.0.1:8082' })

  expect(() => compose(config)).toThrow(/^SIMULATOR_URL is "http:.* WEBHOOK_ALLOW_LOOPBACK .* would open it/)
})

test.each([
  [{}, 'DATABASE_URL is not set. Example: DATABASE_URL=postgres://'],
  [{ DATABASE_URL }, 'MASTER_KEYS is not set. Example: MASTER_KEYS=2026-11:$(openssl rand -base64 32)'],
  [
    { ...required, LIVE_LISTEN: 'nonsense' },
    'LIVE_LISTEN is "nonsense". It must be host:port, such as 127.0.0.1:8080.',
  ],
  [{ ...required, TEST_LISTEN: '0.0.0.0:99999' }, 'TEST_LISTEN is "0.0.0.0:99999". It must be host:port'],
  [{ ...required, TEST_BASE_URL: 'staging' }, 'TEST_BASE_URL is "staging". It must be an address'],
  [{ ...required, SIMULATOR_URL: 'here' }, 'SIMULATOR_URL is "here". It must be an address such as http://'],
  [{ ...required, NATS_REPLICAS: '2' }, 'NATS_REPLICAS is "2". It must be 1, or 3'],
  [
    { ...required, DATABASE_POOL: 'many' },
    'DATABASE_POOL is "many". It must be a whole number from 2 to 500.',
  ],
  [{ ...required, RATE_LIMIT_LIVE: '0' }, 'RATE_LIMIT_LIVE is "0". It must be a whole number from 1'],
  [{ ...required, LOG_LEVEL: 'loud' }, 'LOG_LEVEL is "loud". It must be one of debug'],
])('%j is refused in a sentence', (environment, sentence) => {
  expect(() => readConfig(environment)).toThrow(sentence)
})

test('the vault logs in as whoever serves requests, and is closed in production, unless it is told otherwise', () => {
  const VAULT_DATABASE_URL = 'postgres://vault@localhost/switchyard'

  expect(readConfig(required)).toMatchObject({ vaultDatabaseUrl: DATABASE_URL, vaultLive: false })
  expect(readConfig({ ...required, VAULT_DATABASE_URL, VAULT_LIVE: 'true' })).toMatchObject({
    vaultDatabaseUrl: VAULT_DATABASE_URL,
    vaultLive: true,
  })
})
