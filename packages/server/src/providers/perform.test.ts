// What the core adds to a provider: limits, the fence against another request, and records without secrets.

import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { monotonicMs } from '../kernel/clock.ts'
import { createLog } from '../platform/log.ts'
import type { OutboundReply, OutboundRequest } from '../platform/outbound/outbound.ts'
import type { Provider } from './contract.ts'
import { authorize, complete, config, lookup, now, stored } from './custom/fixtures/accounts.ts'
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
const circumstances = { timings, connectionReused: true, remoteIp: null }
const answer = (body: unknown, status = 200): OutboundReply => ({
  is: 'answered',
  ...{ status, headers: {}, cut: false },
  body: typeof body === 'string' ? body : JSON.stringify(body),
  ...circumstances,
})
const refusedConnection: OutboundReply = {
  is: 'failed',
  ...{ cause: 'connect_failed', detail: 'The connection was refused.', mayHaveBeenSent: false },
  ...circumstances,
}

/** A stage whose other side always says the same; it keeps what was sent and what was logged. */
function aStage(reply: OutboundReply, hashKey = Buffer.alloc(32, 1)) {
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
function aTask<Name extends StepName>(
  step: Name,
  input: Task<Name>['input'],
  changes: Partial<Task<Name>> = {},
) {
  const isFirst = step === 'authorize' && !('repeatOf' in changes)
  return { provider: custom, step, input, account, deadlineMs: monotonicMs() + 70_000, isFirst, ...changes }
}

test('money has 65 seconds and looks have 10, and neither more than is left of the lease', async () => {
  const { perform, confirm, sent } = aStage(answer(succeeded))
  const soon = monotonicMs() + 500

  await perform(aTask('authorize', authorize))
  await perform(aTask('complete', complete))
  await perform(aTask('close', lookup))
  await perform(aTask('lookup', lookup))
  await confirm({
    provider: custom,
    step: 'health',
    input: null,
    account,
    deadlineMs: monotonicMs() + 70_000,
  })
  await perform(aTask('authorize', authorize, { deadlineMs: soon }))

  expect(sent.slice(0, 5).map(({ timeoutMs }) => timeoutMs)).toEqual([65_000, 65_000, 65_000, 10_000, 10_000])
  expect(sent[5]?.timeoutMs).toBeGreaterThan(0)
  expect(sent[5]?.timeoutMs).toBeLessThanOrEqual(500)
  for (const request of sent)
    expect(request).toMatchObject({
      maxAnswerBytes: 262_144,
      pool: account.id,
      mode: 'test',
    })
})

test('after the deadline nothing is sent', async () => {
  const { perform, sent } = aStage(answer(succeeded))

  const { outcome, call } = await perform(aTask('authorize', authorize, { deadlineMs: monotonicMs() - 1 }))

  expect(outcome).toMatchObject({ is: 'not_sent', fault: { code: 'lease_over' } })
  expect(call).toMatchObject({ mayHaveBeenSent: false, status: null, durationMs: 0 })
  expect(sent).toEqual([])
})

test('a request goes out twice by itself only to an account that recognizes repeats', async () => {
  const { perform, sent } = aStage(answer(succeeded))
  const forgetful = { ...account, config: { ...config, replay: false } }

  await perform(aTask('authorize', authorize))
  await perform(aTask('authorize', authorize, { provider: simulator, account: forgetful }))
  await perform(aTask('lookup', lookup, { provider: simulator, account: forgetful }))

  expect(sent.map(({ mayRepeat }) => mayRepeat)).toEqual([true, false, true])
})

test('a repeat is the same request or none', async () => {
  const { perform, hashOf, sent } = aStage(answer(succeeded))
  const repeatOf = hashOf(aTask('authorize', authorize))

  const same = await perform(aTask('authorize', authorize, { repeatOf }))
  const { cvc: _, ...withoutCode } = authorize.instrument as {
    cvc: string
    type: 'card'
    number: string
    expMonth: 1
    expYear: 1
  }
  const other = await perform(aTask('authorize', { ...authorize, instrument: withoutCode }, { repeatOf }))

  expect(same.outcome).toMatchObject({ is: 'succeeded' })
  expect(other.outcome).toMatchObject({ is: 'unknown', fault: { code: 'request_changed' } })
  expect(sent).toHaveLength(1)
})

test('a call that nobody calls the first proves nothing by not leaving, or by being put away', async () => {
  for (const reply of [refusedConnection, answer({ processed: false }, 503)]) {
    const { perform } = aStage(reply)
    const { isFirst: _, ...task } = aTask('authorize', authorize)

    expect((await perform(task)).outcome).toMatchObject({ is: 'unknown' })
    expect((await perform({ ...task, isFirst: true })).outcome.is).toMatch(/^(not_sent|rejected)$/)
  }
})

test('a question or a repeat is never the first call, and who says so is wrong', async () => {
  const { perform } = aStage(answer(succeeded))

  await expect(perform(aTask('lookup', lookup, { isFirst: true }))).rejects.toThrow('Only what begins')
  await expect(perform(aTask('authorize', authorize, { isFirst: true, repeatOf: '00' }))).rejects.toThrow(
    'Only what begins',
  )
})

test('the hash is of the request and not of its time, and worthless without the key', async () => {
  const stage = aStage(answer(succeeded))
  const later = createPerformer({
    sender: { send: async () => answer(succeeded) },
    log: createLog('silent'),
    hashKey: Buffer.alloc(32, 1),
    time: () => new Date(now.getTime() + 3_600_000),
  })
  const hash = stage.hashOf(aTask('authorize', authorize))

  expect((await stage.perform(aTask('authorize', authorize))).call.requestHash).toBe(hash)
  expect(later.hashOf(aTask('authorize', authorize))).toBe(hash)
  expect(aStage(answer(''), Buffer.alloc(32, 2)).hashOf(aTask('authorize', authorize))).not.toBe(hash)
})

test('what proves something of a first call proves nothing of a repeat, nor of a completion', async () => {
  const busy = aStage(answer({ processed: false }, 503))
  const gone = aStage(refusedConnection)
  const repeatOf = busy.hashOf(aTask('authorize', authorize))

  expect((await busy.perform(aTask('authorize', authorize))).outcome).toMatchObject({ is: 'rejected' })
  expect((await gone.perform(aTask('authorize', authorize))).outcome).toMatchObject({ is: 'not_sent' })
  for (const { perform } of [busy, gone]) {
    expect((await perform(aTask('authorize', authorize, { repeatOf }))).outcome).toMatchObject({
      is: 'unknown',
    })
    expect((await perform(aTask('complete', complete))).outcome).toMatchObject({ is: 'unknown' })
    expect((await perform(aTask('lookup', lookup))).outcome).toMatchObject({ is: 'unknown' })
    expect((await perform(aTask('close', lookup))).outcome).toMatchObject({ is: 'unknown' })
  }
})

test('a provider that throws has not understood, and the log does not say what it read', async () => {
  const text = `{"oops": "4242424242424242 987 ${config.secrets[0]}"`
  const { perform, lines } = aStage(answer(text))
  const broken = {
    ...custom,
    operations: { authorize: { ...custom.operations.authorize, parse: () => JSON.parse(text) } },
  } as Provider

  for (const provider of [custom, broken] as Provider[])
    expect((await perform(aTask('authorize', authorize, { provider }))).outcome).toEqual({
      is: 'unknown',
      fault: { code: 'answer_unreadable', message: 'The answer could not be read.' },
    })

  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { operation: 'custom.authorize', status: 200, code: 'Unreadable' },
    { operation: 'custom.authorize', status: 200, code: 'SyntaxError' },
  ])
  expect(lines.join()).not.toMatch(/4242|987|psec_|oops/)
})

test('a success over another amount is flagged, wherever it is found', async () => {
  const { perform } = aStage(answer({ ...succeeded, amount: 10.99 * 10_000 }))
  const right = aStage(answer(succeeded))

  expect(await perform(aTask('authorize', authorize))).toMatchObject({ differs: true })
  expect(await perform(aTask('lookup', lookup))).toMatchObject({
    differs: true,
    outcome: { is: 'succeeded' },
  })
  expect(await right.perform(aTask('authorize', authorize))).toMatchObject({ differs: false })
})

test('a provider that repeats a card back to us leaves no trace of it', async () => {
  const message = `card 4242 4242-4242 4242 code 987 is bad, key ${config.secrets[1]}, amount 19870`
  const { perform } = aStage(
    answer({
      ...succeeded,
      status: 'declined',
      provider_reference: 'ch-987-4242424242424242',
      decline: { code: 'incorrect_cvc', message },
    }),
  )

  const performed = await perform(aTask('authorize', authorize))

  expect(performed.outcome).toEqual({
    is: 'declined',
    ref: 'ch-987-[struck out]',
    decline: {
      code: 'incorrect_cvc',
      message: 'card [struck out] code [struck out] is bad, key [struck out], amount 19870',
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

test('the token that a stored card is known by comes back as it is', async () => {
  const { perform } = aStage(answer({ ...succeeded, token: 'card_7Yt1' }))

  const { outcome } = await perform(aTask('authorize', stored))

  expect(outcome).toMatchObject({ extra: { token: 'card_7Yt1' } })
})

test('a question is answered by yes, or it is not', async () => {
  const ask = (reply: OutboundReply) =>
    aStage(reply).confirm({
      provider: custom,
      step: 'health',
      input: null,
      account,
      deadlineMs: monotonicMs() + 9_000,
    })
  const forget = { provider: custom, step: 'forget', input: { token: 'card/7 Yt1' }, account } as const

  expect(await ask(answer(''))).toMatchObject({ yes: true })
  expect(await ask(answer('', 500))).toMatchObject({ yes: false })
  expect(await ask(answer('', 302))).toMatchObject({ yes: false })
  expect(await ask(refusedConnection)).toMatchObject({ yes: false })
  const forgotten = await aStage(answer('', 204)).confirm({ ...forget, deadlineMs: monotonicMs() + 9_000 })
  expect(forgotten).toMatchObject({ yes: true, call: { path: '/switchyard/tokens/[struck out]' } })
})

test('a step that a provider has not is a mistake of ours', async () => {
  const { complete: _, ...without } = custom

  await expect(
    aStage(answer('')).perform(aTask('complete', complete, { provider: without as Provider })),
  ).rejects.toThrow('custom has no complete')
})
