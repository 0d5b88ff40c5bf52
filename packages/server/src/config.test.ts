import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

const DATABASE_URL = 'postgres://switchyard@localhost/switchyard'

test('the address of the database is all that is needed', () => {
  expect(readConfig({ DATABASE_URL })).toMatchObject({
    databaseUrl: DATABASE_URL,
    natsUrl: null,
    listen: { live: { host: '127.0.0.1', port: 8080 }, test: { host: '127.0.0.1', port: 8081 } },
    addresses: { live: 'http://127.0.0.1:8080', test: 'http://127.0.0.1:8081' },
    requestsPerSecond: { live: 100, test: 50 },
  })
})

test('addresses for callers lose a slash at their end, since paths begin with one', () => {
  const { addresses } = readConfig({ DATABASE_URL, LIVE_BASE_URL: 'https://api.example.com/' })

  expect(addresses.live).toBe('https://api.example.com')
})

test.each([
  [{}, 'DATABASE_URL is not set. Example: DATABASE_URL=postgres://'],
  [
    { DATABASE_URL, LIVE_LISTEN: 'nonsense' },
    'LIVE_LISTEN is "nonsense". It must be host:port, such as 127.0.0.1:8080.',
  ],
  [{ DATABASE_URL, TEST_LISTEN: '0.0.0.0:99999' }, 'TEST_LISTEN is "0.0.0.0:99999". It must be host:port'],
  [{ DATABASE_URL, TEST_BASE_URL: 'staging' }, 'TEST_BASE_URL is "staging". It must be an address'],
  [{ DATABASE_URL, NATS_REPLICAS: '2' }, 'NATS_REPLICAS is "2". It must be 1, or 3'],
  [
    { DATABASE_URL, DATABASE_POOL: 'many' },
    'DATABASE_POOL is "many". It must be a whole number from 2 to 500.',
  ],
  [{ DATABASE_URL, RATE_LIMIT_LIVE: '0' }, 'RATE_LIMIT_LIVE is "0". It must be a whole number from 1'],
  [{ DATABASE_URL, LOG_LEVEL: 'loud' }, 'LOG_LEVEL is "loud". It must be one of debug'],
])('%j is refused in a sentence', (environment, sentence) => {
  expect(() => readConfig(environment)).toThrow(sentence)
})
