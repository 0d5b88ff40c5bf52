import { expect, test } from 'vitest'
import { compose } from './compose.ts'
import { linesOf } from './config/shown.ts'
import { ConfigError, groups, readConfig, showConfig } from './config.ts'

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
  ['without a name', key.toString('base64'), 'no name and colon before the key'],
  [
    'with a name of other characters',
    `New Key:${key.toString('base64')}`,
    'a name of other characters than a-z, 0-9 and -',
  ],
  ['that is too short', `new:${key.toString('base64').slice(4)}`, 'a key of 29 bytes, or not as base64'],
  ['that is followed by nothing', `${required.MASTER_KEYS},`, 'nothing between two commas in its entry 2'],
])('a master key %s is refused, and not repeated in the message', (_, MASTER_KEYS, flaw) => {
  const reading = () => readConfig({ DATABASE_URL, MASTER_KEYS })

  // The whole message, so that nothing else stands in it.
  const rule = 'It must be <name>:<32 bytes as base64>, such as 2026-11:$(openssl rand -base64 32).'
  expect(reading).toThrow(new ConfigError(`MASTER_KEYS has ${flaw}. ${rule}`))
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
  const begins = 'begin with smtps:// or smtp://'
  expect(odd).toThrow(
    new ConfigError(
      `SMTP_URL does not ${begins}. It must be an address that ${begins.replace('begin', 'begins')}, such as smtps://user:password@mail.example.com:465.`,
    ),
  )
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
  [
    { ...required, SIMULATOR_URL: 'here' },
    'SIMULATOR_URL is "here". It must be an address that begins with https:// or http://, such as http://127.0.0.1:8082.',
  ],
  [{ ...required, NATS_REPLICAS: '2' }, 'NATS_REPLICAS is "2". It must be 1, or 3'],
  [
    { ...required, DATABASE_POOL: 'many' },
    'DATABASE_POOL is "many". It must be a whole number from 2 to 500, such as 16.',
  ],
  [{ ...required, RATE_LIMIT_LIVE: '0' }, 'RATE_LIMIT_LIVE is "0". It must be a whole number from 1'],
  [{ ...required, TRUST_PROXY: 'yes' }, 'TRUST_PROXY is "yes". It must be true or false, such as true.'],
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

test('all that is wrong is said at once', () => {
  const reading = () => readConfig({ ...required, DATABASE_POOL: '1', LOG_LEVEL: 'loud', VAULT_LIVE: '1' })

  expect(reading).toThrow(/^DATABASE_POOL is "1".*\nVAULT_LIVE is "1".*\nLOG_LEVEL is "loud".*$/)
})

// biome-ignore format: a table.
test.each([
  ['DATABASE_URL',       'hunter2'],
  ['DATABASE_URL',       'https://user:hunter2@host/switchyard'],
  ['DATABASE_URL',       'postgres://user:hunter2@:5432:1/'],
  ['DATABASE_OWNER_URL', 'owner:hunter2@host'],
  ['VAULT_DATABASE_URL', 'mysql://vault:hunter2@host'],
  ['NATS_URL',           'nats://ok@host,https://user:hunter2@host'],
  ['SMTP_URL',           'hunter2://mail.example.com'],
  ['MASTER_KEYS',        'hunter2'],
])('%s is refused without a piece of its secret', (name, value) => {
  const environment = { ...required, [name]: value }
  const reading = () => readConfig(environment)

  expect(reading).toThrow(new RegExp(`^${name} .*such as`))
  expect(reading).not.toThrow(/hunter2/)
  expect(JSON.stringify(showConfig(environment))).not.toContain('hunter2')
})

test('what each setting is and where it comes from is shown without a secret', () => {
  // A comma separates keys and servers, and here it does not.
  const secret = 'hunter2,x'
  const shown = showConfig({
    ...{ DATABASE_URL: `postgres://user:${secret}@host/switchyard?password=${secret}`, DATABASE_POOL: '20' },
    ...{ NATS_URL: 'nats://hunter2@a,nats://b:4222', SMTP_URL: `smtp://me:${secret}@mail` },
    ...{
      MAIL_FROM: 'me@example.com',
      MASTER_KEYS: `a:${key.toString('base64')},b:${key.toString('base64')}`,
    },
  })
  const of = (name: string) => shown.settings.find((one) => one.name === name)

  expect(of('DATABASE_URL')).toMatchObject({ value: 'postgres://user:***@host/switchyard?***' })
  expect(of('NATS_URL')).toMatchObject({ value: 'nats://***@a,nats://b:4222', from: 'environment' })
  expect(of('SMTP_URL')).toMatchObject({ value: 'smtp://me:***@mail' })
  expect(of('MASTER_KEYS')).toMatchObject({ value: 'a:***,b:***' })
  expect(of('DATABASE_POOL')).toMatchObject({ value: '20', from: 'environment' })
  expect(of('LOG_LEVEL')).toMatchObject({ value: 'info', from: 'default' })
  expect(of('DATABASE_OWNER_URL')).toMatchObject({ value: null, otherwise: 'that of DATABASE_URL' })
  expect(shown.faults).toEqual([])
  const text = JSON.stringify(shown) + linesOf(shown).join()
  expect(text).not.toContain('hunter2')
  expect(text).not.toContain(key.toString('base64'))
})

// biome-ignore format: a table.
test.each([
  [{ DATABSE_POOL: '20' },               ['DATABSE_POOL is set, and nobody reads it. Was DATABASE_POOL meant?']],
  [{ SWITCHYARD_LOG_LEVEL: 'debug' },    ['SWITCHYARD_LOG_LEVEL is set, and nobody reads it. Was LOG_LEVEL meant?']],
  [{ nats_url: 'nats://host' },          ['nats_url is set, and nobody reads it. Was NATS_URL meant?']],
  [{ RATE_LIMTI_LIVE: '5' },             ['RATE_LIMTI_LIVE is set, and nobody reads it. Was RATE_LIMIT_LIVE meant?']],
  // What is set under its right name was not meant by another.
  [{ LOG_LEVELS: 'x', LOG_LEVEL: 'info' },                       []],
  [{ PATH: '/bin', HOME: '/', NATS_PORT: 'tcp://', TEST_URL: 'x', MAIL: 'x', SWITCHYARD_TOKEN: 'x' }, []],
])('of %j one is told what was probably meant', (variables, notices) => {
  expect(readConfig({ ...required, ...variables }).notices).toEqual(notices)
})

test('every example fits, and every default', () => {
  const settings = Object.values(groups).flatMap((group) => Object.values(group))

  for (const { name, kind, example, default: standing } of settings) {
    const given = name === 'MASTER_KEYS' ? required.MASTER_KEYS : example
    expect(kind.read(given), `${name}=${given}`).not.toBeNull()
    if (standing !== null) expect(kind.read(standing), name).not.toBeNull()
  }
})
