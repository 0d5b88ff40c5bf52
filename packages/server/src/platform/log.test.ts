import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createLog, type LogFields, scrub } from './log.ts'

function collect() {
  const lines: string[] = []
  const stream = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk))
      done()
    },
  })
  return { log: createLog('debug', stream), lines }
}

test('a line contains the declared members and nothing else', () => {
  const { log, lines } = collect()

  log.info('request', { request_id: 'request_1', status: 201, body: { card: 'x' } } as LogFields)

  expect(JSON.parse(lines[0] as string)).toEqual({
    level: 30,
    time: expect.any(String),
    request_id: 'request_1',
    status: 201,
    message: 'request',
  })
})

test('the detail of a Postgres error is not logged, because it repeats the values of a row', () => {
  const { log, lines } = collect()
  const error = Object.assign(new Error('duplicate key value violates unique constraint'), {
    code: '23505',
    detail: 'Key (email)=(ada@example.com) already exists.',
  })

  log.error('request failed', { error: new Error('outer', { cause: error }) })

  expect(JSON.parse(lines[0] as string).error).toMatchObject({ message: 'outer', cause: { code: '23505' } })
  expect(lines[0]).not.toContain('ada@example.com')
})

test.each([
  ['token sk_test_sEDilO5ALmzcycQmPbMg69HI8SrVeFDd3s5RP5 refused', 'token [redacted] refused'],
  ['whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8= leaked', '[redacted] leaked'],
  [`with cs_${'Ab_-'.repeat(10)}xyz`, 'with [redacted]'],
  ['basics_of_it', 'basics_of_it'],
  ['card 4242 4242 4242 4242 seen', 'card [redacted] seen'],
  ['card 4242-4242-4242-4242.', 'card [redacted].'],
  ['took 1234567 ms at 2026-11-14', 'took 1234567 ms at 2026-11-14'],
])('"%s" is logged as "%s"', (text, scrubbed) => {
  expect(scrub(text)).toBe(scrubbed)
})
