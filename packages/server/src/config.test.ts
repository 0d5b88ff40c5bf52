import { expect, test } from 'vitest'
import { linesOf } from './config/displayed-settings.ts'
import { ConfigError, groups, readConfig, showConfig } from './config.ts'

const DATABASE_URL = 'postgres://switchyard@localhost/switchyard'
const key = Buffer.alloc(32, 'k')
const required = { DATABASE_URL, MASTER_KEYS: `new:${key.toString('base64')}` }

test('only the address of the database and a master key are required', () => {
  expect(readConfig(required)).toMatchObject({
    databaseUrl: DATABASE_URL,
    masterKeys: [{ id: 'new', key }],
    natsUrl: null,
    listen: { live: { host: '127.0.0.1', port: 8080 }, test: { host: '127.0.0.1', port: 8081 } },
    addresses: { live: 'http://127.0.0.1:8080', test: 'http://127.0.0.1:8081' },
    requestsPerSecond: { live: 100, test: 50 },
  })
})

test('a trailing slash of base URLs is removed, since paths begin with one', () => {
  const { addresses } = readConfig({ ...required, LIVE_BASE_URL: 'https://api.example.com/' })

  expect(addresses.live).toBe('https://api.example.com')
})

test('the order of the master keys is kept', () => {
  const older = Buffer.alloc(32, 'o')
  const MASTER_KEYS = `${required.MASTER_KEYS}, older:${older.toString('base64')}`

  expect(readConfig({ DATABASE_URL, MASTER_KEYS }).masterKeys).toEqual([
    { id: 'new', key },
    { id: 'older', key: older },
  ])
})

test.each([
  ['without a name', key.toString('base64'), 'a key without a name: write <name>:<key>'],
  [
    'with a name that contains other characters',
    `New Key:${key.toString('base64')}`,
    'a name with characters other than a-z, 0-9 and -, or with more than 32 characters',
  ],
  [
    'that is too short',
    `new:${key.toString('base64').slice(4)}`,
    'a key of 29 bytes, or one that is not base64',
  ],
  ['followed by an empty entry', `${required.MASTER_KEYS},`, 'no key in entry 2'],
])('a master key %s is rejected, and the message does not contain it', (_, MASTER_KEYS, flaw) => {
  const read = () => readConfig({ DATABASE_URL, MASTER_KEYS })

  // The whole message is compared, so that it contains nothing else.
  const rule = 'It must be <name>:<32 bytes as base64>, such as 2026-11:$(openssl rand -base64 32).'
  expect(read).toThrow(new ConfigError(`MASTER_KEYS has ${flaw}. ${rule}`))
})

test('private addresses are called only if they are configured', () => {
  const WEBHOOK_ALLOW_CIDRS = '10.1.0.0/16, fd00::/8'

  expect(readConfig(required).outbound).toEqual({ allowCidrs: [], allowLoopback: false })
  expect(readConfig({ ...required, WEBHOOK_ALLOW_CIDRS, WEBHOOK_ALLOW_LOOPBACK: 'true' }).outbound).toEqual({
    allowCidrs: ['10.1.0.0/16', 'fd00::/8'],
    allowLoopback: true,
  })
})

test('e-mails are sent by the configured server with a sender, or written to a folder', () => {
  const MAIL_FROM = 'Receipts <receipts@example.com>'
  const SMTP_URL = 'smtps://user:hunter2@mail.example.com:465'

  expect(readConfig(required).mail).toMatchObject({ smtpUrl: null, outbox: null })
  expect(readConfig({ ...required, SMTP_URL, MAIL_FROM }).mail).toMatchObject({
    smtpUrl: SMTP_URL,
    from: MAIL_FROM,
  })
  expect(readConfig({ ...required, MAIL_OUTBOX: 'mails' }).mail).toMatchObject({ outbox: 'mails' })
  expect(() => readConfig({ ...required, SMTP_URL })).toThrow('MAIL_FROM is not set')
  // The address contains a password, so the message does not repeat it.
  const withWrongScheme = () =>
    readConfig({ ...required, SMTP_URL: 'https://user:hunter2@mail.example.com', MAIL_FROM })
  const begins = 'begin with smtps:// or smtp://'
  expect(withWrongScheme).toThrow(
    new ConfigError(
      `SMTP_URL does not ${begins}. It must be a URL that ${begins.replace('begin', 'begins')}, such as smtps://user:password@mail.example.com:465.`,
    ),
  )
})

test('there is a simulator only if it is configured', () => {
  expect(readConfig(required).simulatorUrl).toBeNull()
  expect(readConfig({ ...required, SIMULATOR_URL: 'http://127.0.0.1:8082/' }).simulatorUrl).toBe(
    'http://127.0.0.1:8082',
  )
})

test.each([
  [{}, 'DATABASE_URL is not set. Example: DATABASE_URL=postgres://'],
  [{ DATABASE_URL }, 'MASTER_KEYS is not set. Example: MASTER_KEYS=2026-11:$(openssl rand -base64 32)'],
  [
    { ...required, LIVE_LISTEN: 'nonsense' },
    'LIVE_LISTEN is "nonsense". It must be host:port, such as 127.0.0.1:8080.',
  ],
  [{ ...required, TEST_LISTEN: '0.0.0.0:99999' }, 'TEST_LISTEN is "0.0.0.0:99999". It must be host:port'],
  [{ ...required, TEST_BASE_URL: 'staging' }, 'TEST_BASE_URL is "staging". It must be a URL'],
  [
    { ...required, SIMULATOR_URL: 'here' },
    'SIMULATOR_URL is "here". It must be a URL that begins with https:// or http://, such as http://127.0.0.1:8082.',
  ],
  [{ ...required, NATS_REPLICAS: '2' }, 'NATS_REPLICAS is "2". It must be 1, or 3'],
  [
    { ...required, DATABASE_POOL: 'many' },
    'DATABASE_POOL is "many". It must be an integer from 2 to 500, such as 16.',
  ],
  [{ ...required, RATE_LIMIT_LIVE: '0' }, 'RATE_LIMIT_LIVE is "0". It must be an integer from 1'],
  [
    { ...required, TRUST_PROXY: 'yes' },
    'TRUST_PROXY is "yes". It must be true, false, or IP addresses and networks of proxies, separated by commas, such as 10.0.0.0/8,fd00::/8.',
  ],
  [{ ...required, TRUST_PROXY: '10.0.0.1/8' }, 'TRUST_PROXY is "10.0.0.1/8".'],
  [{ ...required, TRUST_PROXY: '10.0.0.0/33' }, 'TRUST_PROXY is "10.0.0.0/33".'],
  [{ ...required, TRUST_PROXY: '10.0.0.1,proxy' }, 'TRUST_PROXY is "10.0.0.1,proxy".'],
  [{ ...required, TRUST_PROXY: '0.0.0.0/0' }, 'TRUST_PROXY is "0.0.0.0/0".'],
  [{ ...required, LOG_LEVEL: 'loud' }, 'LOG_LEVEL is "loud". It must be one of debug'],
])('%j is rejected with a message', (environment, sentence) => {
  expect(() => readConfig(environment)).toThrow(sentence)
})

test('proxies are trusted by address and network, all of them, or none', () => {
  const trusted = (TRUST_PROXY?: string) => readConfig({ ...required, TRUST_PROXY }).trustProxy

  expect(trusted()).toBe(false)
  expect(trusted('false')).toBe(false)
  expect(trusted('true')).toBe(true)
  expect(trusted('10.0.0.0/8, fd00::/8, 192.0.2.1')).toEqual(['10.0.0.0/8', 'fd00::/8', '192.0.2.1'])
})

test('by default the vault uses the database role of the API, and is disabled in production', () => {
  const VAULT_DATABASE_URL = 'postgres://vault@localhost/switchyard'

  expect(readConfig(required)).toMatchObject({ shards: [{ vaultUrl: DATABASE_URL }], vaultLive: false })
  expect(readConfig({ ...required, VAULT_DATABASE_URL, VAULT_LIVE: 'true' })).toMatchObject({
    shards: [{ url: DATABASE_URL, vaultUrl: VAULT_DATABASE_URL }],
    vaultLive: true,
  })
})

test('without SHARDS there is one shard, in the database of the control plane', () => {
  const DATABASE_OWNER_URL = 'postgres://owner@localhost/switchyard'

  expect(readConfig({ ...required, DATABASE_OWNER_URL }).shards).toEqual([
    { name: 'shard0', url: DATABASE_URL, ownerUrl: DATABASE_OWNER_URL, vaultUrl: DATABASE_URL },
  ])
})

const [urlOfA, urlOfB] = [
  'postgres://user:p%2C@a/switchyard?sslmode=require',
  'postgres://user:secret@b/switchyard',
]

test('shards have names, and URLs for their users', () => {
  const { shards, databaseUrl } = readConfig({
    ...required,
    SHARDS: `a=${urlOfA}, b=${urlOfB}`,
    SHARD_OWNERS: 'b=postgres://owner@b/switchyard,a=postgres://owner@a/switchyard',
  })

  expect(databaseUrl).toBe(DATABASE_URL)
  expect(shards).toEqual([
    { name: 'a', url: urlOfA, ownerUrl: 'postgres://owner@a/switchyard', vaultUrl: urlOfA },
    { name: 'b', url: urlOfB, ownerUrl: 'postgres://owner@b/switchyard', vaultUrl: urlOfB },
  ])
})

test.each([
  [{ SHARDS: `a=${urlOfA},a=${urlOfB}` }, 'SHARDS has an invalid entry, or two with the same name'],
  [{ SHARDS: `control=${urlOfA},b=${urlOfB}` }, 'SHARDS has an invalid entry'],
  [{ SHARDS: `A=${urlOfA}` }, 'SHARDS has an invalid entry'],
  [{ SHARDS: urlOfA }, 'SHARDS has an invalid entry'],
  [{ SHARDS: 'a=https://a' }, 'SHARDS has an invalid entry'],
  [{ SHARD_OWNERS: `a=${urlOfA}` }, 'SHARD_OWNERS is set, but SHARDS is not.'],
  [
    { SHARDS: `a=${urlOfA}`, SHARD_VAULTS: `b=${urlOfB}` },
    'SHARD_VAULTS has the shards b. It must have the same',
  ],
  [{ SHARDS: `a=${urlOfA}`, VAULT_DATABASE_URL: urlOfA }, 'Set SHARD_VAULTS instead.'],
])('%o is rejected without repeating a password', (settings, message) => {
  const read = () => readConfig({ ...required, ...settings })

  expect(read).toThrow(message)
  expect(read).not.toThrow(/secret|p%2C/)
})

test('passwords of shards are not shown', () => {
  const { settings } = showConfig({ ...required, SHARDS: `a=${urlOfA},b=${urlOfB}` })

  expect(settings.find(({ name }) => name === 'SHARDS')?.value).toBe(
    'a=postgres://user:***@a/switchyard?***,b=postgres://user:***@b/switchyard',
  )
})

test('all errors are reported together', () => {
  const read = () => readConfig({ ...required, DATABASE_POOL: '1', LOG_LEVEL: 'loud', VAULT_LIVE: '1' })

  expect(read).toThrow(/^DATABASE_POOL is "1".*\nVAULT_LIVE is "1".*\nLOG_LEVEL is "loud".*$/)
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
])('an invalid %s is rejected with a message that contains no part of the secret', (name, value) => {
  const environment = { ...required, [name]: value }
  const read = () => readConfig(environment)

  expect(read).toThrow(new RegExp(`^${name} .*such as`))
  expect(read).not.toThrow(/hunter2/)
  expect(JSON.stringify(showConfig(environment))).not.toContain('hunter2')
})

test('the value and source of each setting are shown without secrets', () => {
  // A comma usually separates keys and servers, but here it is part of a password.
  const secret = 'hunter2,x'
  const shown = showConfig({
    DATABASE_URL: `postgres://user:${secret}@host/switchyard?password=${secret}`,
    DATABASE_POOL: '20',
    NATS_URL: 'nats://hunter2@a,nats://b:4222',
    SMTP_URL: `smtp://me:${secret}@mail`,
    MAIL_FROM: 'me@example.com',
    MASTER_KEYS: `a:${key.toString('base64')},b:${key.toString('base64')}`,
  })
  const settingOf = (name: string) => shown.settings.find((setting) => setting.name === name)

  expect(settingOf('DATABASE_URL')).toMatchObject({ value: 'postgres://user:***@host/switchyard?***' })
  expect(settingOf('NATS_URL')).toMatchObject({ value: 'nats://***@a,nats://b:4222', from: 'environment' })
  expect(settingOf('SMTP_URL')).toMatchObject({ value: 'smtp://me:***@mail' })
  expect(settingOf('MASTER_KEYS')).toMatchObject({ value: 'a:***,b:***' })
  expect(settingOf('DATABASE_POOL')).toMatchObject({ value: '20', from: 'environment' })
  expect(settingOf('LOG_LEVEL')).toMatchObject({ value: 'info', from: 'default' })
  expect(settingOf('DATABASE_OWNER_URL')).toMatchObject({
    value: null,
    otherwise: 'the value of DATABASE_URL',
  })
  expect(shown.faults).toEqual([])
  const text = JSON.stringify(shown) + linesOf(shown).join()
  expect(text).not.toContain('hunter2')
  expect(text).not.toContain(key.toString('base64'))
})

// biome-ignore format: a table.
test.each([
  [{ DATABSE_POOL: '20' },               ['DATABSE_POOL is set, but is not a known setting. Did you mean DATABASE_POOL?']],
  [{ SWITCHYARD_LOG_LEVEL: 'debug' },    ['SWITCHYARD_LOG_LEVEL is set, but is not a known setting. Did you mean LOG_LEVEL?']],
  [{ nats_url: 'nats://host' },          ['nats_url is set, but is not a known setting. Did you mean NATS_URL?']],
  [{ RATE_LIMTI_LIVE: '5' },             ['RATE_LIMTI_LIVE is set, but is not a known setting. Did you mean RATE_LIMIT_LIVE?']],
  // A setting that is set is not suggested for another name.
  [{ LOG_LEVELS: 'x', LOG_LEVEL: 'info' },                       []],
  [{ PATH: '/bin', HOME: '/', NATS_PORT: 'tcp://', TEST_URL: 'x', MAIL: 'x', SWITCHYARD_TOKEN: 'x' }, []],
])('for %j the most similar unset setting is suggested, if there is one', (variables, notices) => {
  expect(readConfig({ ...required, ...variables }).notices).toEqual(notices)
})

test('the example and the default of every setting are valid', () => {
  const settings = Object.values(groups).flatMap((group) => Object.values(group))

  for (const { name, kind, example, default: defaultText } of settings) {
    const valid = name === 'MASTER_KEYS' ? required.MASTER_KEYS : example
    expect(kind.read(valid), `${name}=${valid}`).not.toBeNull()
    if (defaultText !== null) expect(kind.read(defaultText), name).not.toBeNull()
  }
})
