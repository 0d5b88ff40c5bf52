// What the performer adds to a provider: timeouts, protection against changed repeats, and records without
// secrets.

import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { monotonicMs } from '../kernel/clock.ts'
import { createLog } from '../platform/log.ts'
import type { OutboundReply, OutboundRequest } from '../platform/outbound/outbound.ts'
import type { Provider } from './contract.ts'
import { authorize, complete, config, lookup, now, stored } from './custom/fixtures/inputs.ts'
import { custom, simulator } from './custom/provider.ts'
import { createPerformer, type StepName, type Task } from './perform.ts'

const succeeded = {
  reference: authorize.reference,
  kind: 'authorize',
  status: 'succeeded',
  provider_reference: 'ch_1',
  amount: 1099,
  currency: 'eur',
}

const timings = { durationMs: 7, dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null }
const callDetails = { timings, connectionReused: true, remoteIp: null }
const respond = (body: unknown, status = 200): OutboundReply => ({
  kind: 'answered',
  status,
  headers: {},
  truncated: false,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  ...callDetails,
})
const refusedConnection: OutboundReply = {
  kind: 'failed',
  cause: 'connect_failed',
  detail: 'The connection was refused.',
  mayHaveBeenSent: false,
  ...callDetails,
}

/** A performer with a fixed response; it records what was sent and logged. */
function createTestPerformer(reply: OutboundReply, hashKey = Buffer.alloc(32, 1)) {
  const sent: OutboundRequest[] = []
  const lines: string[] = []
  const destination = new Writable({
    write(line, _, done) {
      lines.push(String(line))
      done()
    },
  })
  const performer = createPerformer({
    sender: {
      async send(request) {
        sent.push(request)
        return reply
      },
    },
    log: createLog('debug', destination),
    hashKey,
    time: () => now,
  })
  return { ...performer, sent, lines }
}

const account = { id: 'provider_account_test_1', mode: 'test', config } as const

/** The first call of an authorization, unless it is a repeat. */
function createTask<Name extends StepName>(
  step: Name,
  input: Task<Name>['input'],
  changes: Partial<Task<Name>> = {},
) {
  const isFirst = step === 'authorize' && !('repeatOf' in changes)
  return { provider: custom, step, input, account, deadlineMs: monotonicMs() + 70_000, isFirst, ...changes }
}

test('operations time out after 65 seconds and lookups after 10, but never later than the lease', async () => {
  const { perform, confirm, sent } = createTestPerformer(respond(succeeded))
  const soon = monotonicMs() + 500

  await perform(createTask('authorize', authorize))
  await perform(createTask('complete', complete))
  await perform(createTask('close', lookup))
  await perform(createTask('lookup', lookup))
  await confirm({
    provider: custom,
    step: 'health',
    input: null,
    account,
    deadlineMs: monotonicMs() + 70_000,
  })
  await perform(createTask('authorize', authorize, { deadlineMs: soon }))

  expect(sent.slice(0, 5).map(({ timeoutMs }) => timeoutMs)).toEqual([65_000, 65_000, 65_000, 10_000, 10_000])
  expect(sent[5]?.timeoutMs).toBeGreaterThan(0)
  expect(sent[5]?.timeoutMs).toBeLessThanOrEqual(500)
  for (const request of sent)
    expect(request).toMatchObject({
      maxResponseBytes: 262_144,
      pool: account.id,
      mode: 'test',
    })
})

test('after the deadline nothing is sent', async () => {
  const { perform, sent } = createTestPerformer(respond(succeeded))

  const { outcome, call } = await perform(
    createTask('authorize', authorize, { deadlineMs: monotonicMs() - 1 }),
  )

  expect(outcome).toMatchObject({ is: 'not_sent', fault: { code: 'lease_over' } })
  expect(call).toMatchObject({ mayHaveBeenSent: false, status: null, durationMs: 0 })
  expect(sent).toEqual([])
})

test('a request is only retried automatically for accounts that recognize repeated requests', async () => {
  const { perform, sent } = createTestPerformer(respond(succeeded))
  const withoutReplay = { ...account, config: { ...config, replay: false } }

  await perform(createTask('authorize', authorize))
  await perform(createTask('authorize', authorize, { provider: simulator, account: withoutReplay }))
  await perform(createTask('lookup', lookup, { provider: simulator, account: withoutReplay }))

  expect(sent.map(({ allowResend }) => allowResend)).toEqual([true, false, true])
})

test('a repeat is identical, or it is not sent', async () => {
  const { perform, hashOf, sent } = createTestPerformer(respond(succeeded))
  const repeatOf = hashOf(createTask('authorize', authorize))

  const same = await perform(createTask('authorize', authorize, { repeatOf }))
  const { cvc: _, ...withoutCode } = authorize.instrument as {
    cvc: string
    type: 'card'
    number: string
    brand: string
    bin: string
    last4: string
    expMonth: 1
    expYear: 1
  }
  const other = await perform(
    createTask('authorize', { ...authorize, instrument: withoutCode }, { repeatOf }),
  )

  expect(same.outcome).toMatchObject({ is: 'succeeded' })
  expect(other.outcome).toMatchObject({ is: 'unknown', fault: { code: 'request_changed' } })
  expect(sent).toHaveLength(1)
})

test('a call not marked as the first proves nothing if it was not sent, or was rejected unprocessed', async () => {
  for (const reply of [refusedConnection, respond({ processed: false }, 503)]) {
    const { perform } = createTestPerformer(reply)
    const { isFirst: _, ...task } = createTask('authorize', authorize)

    expect((await perform(task)).outcome).toMatchObject({ is: 'unknown' })
    expect((await perform({ ...task, isFirst: true })).outcome.is).toMatch(/^(not_sent|rejected)$/)
  }
})

test('a lookup or a repeat cannot be marked as the first call', async () => {
  const { perform } = createTestPerformer(respond(succeeded))

  await expect(perform(createTask('lookup', lookup, { isFirst: true }))).rejects.toThrow(
    'Only a call that starts',
  )
  await expect(
    perform(createTask('authorize', authorize, { isFirst: true, repeatOf: '00' })),
  ).rejects.toThrow('Only a call that starts')
})

test('the hash covers the request but not its time, and depends on the key', async () => {
  const performer = createTestPerformer(respond(succeeded))
  const later = createPerformer({
    sender: { send: async () => respond(succeeded) },
    log: createLog('silent'),
    hashKey: Buffer.alloc(32, 1),
    time: () => new Date(now.getTime() + 3_600_000),
  })
  const hash = performer.hashOf(createTask('authorize', authorize))

  expect((await performer.perform(createTask('authorize', authorize))).call.requestHash).toBe(hash)
  expect(later.hashOf(createTask('authorize', authorize))).toBe(hash)
  expect(
    createTestPerformer(respond(''), Buffer.alloc(32, 2)).hashOf(createTask('authorize', authorize)),
  ).not.toBe(hash)
})

test('a result that is proof for a first call proves nothing for a repeat or a completion', async () => {
  const busy = createTestPerformer(respond({ processed: false }, 503))
  const unreachable = createTestPerformer(refusedConnection)
  const repeatOf = busy.hashOf(createTask('authorize', authorize))

  expect((await busy.perform(createTask('authorize', authorize))).outcome).toMatchObject({ is: 'rejected' })
  expect((await unreachable.perform(createTask('authorize', authorize))).outcome).toMatchObject({
    is: 'not_sent',
  })
  for (const { perform } of [busy, unreachable]) {
    expect((await perform(createTask('authorize', authorize, { repeatOf }))).outcome).toMatchObject({
      is: 'unknown',
    })
    expect((await perform(createTask('complete', complete))).outcome).toMatchObject({ is: 'unknown' })
    expect((await perform(createTask('lookup', lookup))).outcome).toMatchObject({ is: 'unknown' })
    expect((await perform(createTask('close', lookup))).outcome).toMatchObject({ is: 'unknown' })
  }
})

test('the response is unreadable if the provider throws, and the log does not contain the response', async () => {
  const text = `{"oops": "4242424242424242 987 ${config.secrets[0]}"`
  const { perform, lines } = createTestPerformer(respond(text))
  const broken = {
    ...custom,
    operations: { authorize: { ...custom.operations.authorize, parse: () => JSON.parse(text) } },
  } as Provider

  for (const provider of [custom, broken] as Provider[])
    expect((await perform(createTask('authorize', authorize, { provider }))).outcome).toEqual({
      is: 'unknown',
      fault: { code: 'answer_unreadable', message: 'The response could not be parsed.' },
    })

  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { operation: 'custom.authorize', status: 200, code: 'Unreadable' },
    { operation: 'custom.authorize', status: 200, code: 'SyntaxError' },
  ])
  expect(lines.join()).not.toMatch(/4242|987|psec_|oops/)
})

test('a success with a different amount is flagged in every step', async () => {
  const { perform } = createTestPerformer(respond({ ...succeeded, amount: 10.99 * 10_000 }))
  const right = createTestPerformer(respond(succeeded))

  expect(await perform(createTask('authorize', authorize))).toMatchObject({ differs: true })
  expect(await perform(createTask('lookup', lookup))).toMatchObject({
    differs: true,
    outcome: { is: 'succeeded' },
  })
  expect(await right.perform(createTask('authorize', authorize))).toMatchObject({ differs: false })
})

test('card data repeated by a provider is redacted', async () => {
  const message = `card 4242 4242-4242 4242 code 987 is bad, key ${config.secrets[1]}, amount 19870`
  const { perform } = createTestPerformer(
    respond({
      ...succeeded,
      status: 'declined',
      provider_reference: 'ch-987-4242424242424242',
      decline: { code: 'incorrect_cvc', message },
    }),
  )

  const performed = await perform(createTask('authorize', authorize))

  expect(performed.outcome).toEqual({
    is: 'declined',
    ref: 'ch-987-[redacted]',
    decline: {
      code: 'incorrect_cvc',
      message: 'card [redacted] code [redacted] is bad, key [redacted], amount 19870',
    },
  })
  expect(JSON.stringify(performed.call)).not.toMatch(/4242|psec_/)
  expect(performed.call).toMatchObject({
    method: 'PUT',
    path: `/switchyard/operations/${authorize.reference}`,
    status: 200,
    durationMs: 7,
  })
})

test('a rejection of a request that the connection has sent twice does not prove that nothing was processed', async () => {
  const busy = respond({ processed: false, error: { code: 'provider_rate_limited' } }, 429)
  const outcomeOf = async (reply: OutboundReply) =>
    (await createTestPerformer(reply).perform(createTask('authorize', authorize, { isFirst: true }))).outcome

  expect(await outcomeOf(busy)).toMatchObject({ is: 'rejected', thisCallOnly: true })
  expect(await outcomeOf({ ...busy, resent: true } as OutboundReply)).toMatchObject({ is: 'unknown' })
})

test('the form fields of an action are complete, but contain no card number', async () => {
  const action = {
    type: 'form',
    url: 'https://acs.example.com/',
    fields: {
      creq: 'a'.repeat(8_000),
      echo: authorize.instrument?.type === 'card' ? authorize.instrument.number : '',
    },
    expires_at: '2026-11-14T12:30:00Z',
  }
  const reply = respond({ ...succeeded, status: 'action_required', action })
  const { outcome } = await createTestPerformer(reply).perform(createTask('authorize', authorize))

  expect(outcome).toMatchObject({ action: { fields: { creq: 'a'.repeat(8_000), echo: '[redacted]' } } })
})

test('the token of a stored card is returned unchanged', async () => {
  const { perform } = createTestPerformer(respond({ ...succeeded, token: 'card_7Yt1' }))

  const { outcome } = await perform(createTask('authorize', stored))

  expect(outcome).toMatchObject({ extra: { token: 'card_7Yt1' } })
})

test('a health check or the deletion of a card is confirmed only by a positive response', async () => {
  const checkHealth = (reply: OutboundReply) =>
    createTestPerformer(reply).confirm({
      provider: custom,
      step: 'health',
      input: null,
      account,
      deadlineMs: monotonicMs() + 9_000,
    })
  const forget = { provider: custom, step: 'forget', input: { token: 'card/7 Yt1' }, account } as const

  expect(await checkHealth(respond(''))).toMatchObject({ confirmed: true })
  expect(await checkHealth(respond('', 500))).toMatchObject({ confirmed: false })
  expect(await checkHealth(respond('', 302))).toMatchObject({ confirmed: false })
  expect(await checkHealth(refusedConnection)).toMatchObject({ confirmed: false })
  const deleted = await createTestPerformer(respond('', 204)).confirm({
    ...forget,
    deadlineMs: monotonicMs() + 9_000,
  })
  expect(deleted).toMatchObject({ confirmed: true, call: { path: '/switchyard/tokens/[redacted]' } })
})

test('calling a step that a provider lacks is a programming error', async () => {
  const { complete: _, ...without } = custom

  await expect(
    createTestPerformer(respond('')).perform(
      createTask('complete', complete, { provider: without as Provider }),
    ),
  ).rejects.toThrow('custom has no complete')
})
