// What providers tell us by themselves: early, late, three times, out of order, forged, and against our books.

import { afterEach, expect, test } from 'vitest'
import { numberOfScenario } from '../../../../simulator/src/cards.ts'
import { sign } from '../../../../simulator/src/signature.ts'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../kernel/id.ts'
import { asOwner } from '../../platform/db/owner.ts'
import type { LogFields } from '../../platform/log.ts'

const warnings: { message: string; fields: LogFields }[] = []
const quiet = { debug() {}, info() {}, error() {} }
const log = {
  ...quiet,
  warn: (message: string, fields: LogFields = {}) => warnings.push({ message, fields }),
}
afterEach(() => {
  warnings.length = 0
})

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: { log, limits: { providerMs: 1_500, requestMs: 10_000 } },
})

async function pay({ post, get }: Workspace, number: string, members: object = {}) {
  const card = { number, exp_month: 12, exp_year: 2030, cvc: '123' }
  const { body: token } = await post('/tokens', { type: 'card', card })
  const { body } = await post('/payments', { amount: 1299, currency: 'eur', token: token.id, ...members })
  return (await get(`/payments/${body.resource_id ?? body.id}`)).body
}

/** The first account of the workspace, which is asked first. */
async function accountOf({ get }: Workspace): Promise<string> {
  const { body } = await get('/provider-accounts')
  return body.data.toSorted((a: { position: number }, b: { position: number }) => a.position - b.position)[0]
    .id
}

const referenceOf = (paymentId: string, number = 1) => `${paymentId.slice(-26)}-${number}`

function success(paymentId: string, members: object = {}) {
  return {
    reference: referenceOf(paymentId),
    kind: 'authorize',
    status: 'succeeded',
    provider_reference: 'sim_late',
    amount: 1299,
    currency: 'eur',
    ...members,
  }
}

let told = 0

/** A webhook as the provider signs it, with a secret of the account unless another is given. */
async function tell(accountId: string, operation: object, given: { secret?: string; id?: string } = {}) {
  told += 1
  const event = { id: given.id ?? `event_${told}`, type: 'operation.updated', operation }
  return send(accountId, JSON.stringify(event), given.secret)
}

async function send(accountId: string, body: string, secret?: string) {
  const path = `/provider-webhooks/${accountId}`
  const [own = ''] = (await simulator.configOf(accountId)).secrets
  const signed = { role: 'callback', method: 'POST', path, body } as const
  const signature = sign(signed, [secret ?? own], Math.floor(Date.now() / 1000))
  return switchyard.call('test', 'POST', path, undefined, {
    raw: body,
    headers: { 'switchyard-signature': signature },
  })
}

const control = async (path: string, body: object = {}) => {
  const answer = await fetch(`${simulator.url}/control/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
  })
  expect(answer.status).toBe(200)
}

/** Everything that the simulator has to tell is told. */
const flush = (accountId: string) => control(`${accountId}/webhooks/flush`)

async function rowsOf(table: 'provider_events' | 'conflicts', { workspaceId }: Workspace) {
  const statement = `select * from ${table} where workspace_id = $1 order by id`
  return asOwner(
    switchyard.databaseUrl,
    async (client) => (await client.query(statement, [uuidOf(workspaceId as Id<'workspace'>)])).rows,
  )
}

const typesOf = async ({ eventsOf }: Workspace, id: string) =>
  (await eventsOf(id)).map(({ type }: { type: string }) => type)

async function approvalsOf(paymentId: string): Promise<number> {
  const answer = await fetch(`${simulator.url}/control/sums?payment_id=${paymentId}`)
  return ((await answer.json()) as { sums: { approvals: number }[] }).sums[0]?.approvals ?? 0
}

test('a word that comes before the answer, and one that comes three times, is one success and one event', async () => {
  for (const scenario of ['5012', '5013']) {
    const workspace = await switchyard.newWorkspace()
    const payment = await pay(workspace, numberOfScenario(scenario))
    await flush(payment.provider_account_id)
    await switchyard.settle()

    const { body } = await workspace.get(`/payments/${payment.id}`)
    expect(body).toMatchObject({ status: 'succeeded', amount_captured: 1299, review: null })
    expect(body.summary).toMatch(/^EUR 12.99 was taken from visa ending in \d{4}\.$/)
    expect(await typesOf(workspace, payment.id)).toEqual(['payment.created', 'payment.succeeded'])
    const rows = await rowsOf('provider_events', workspace)
    expect(rows.map(({ outcome, verdict }) => [outcome, verdict])).toEqual([['recorded', 'valid']])
    expect(await approvalsOf(payment.id)).toBe(1)
  }
})

test('a forged word is answered with 401 and leaves no row; the truth is looked up', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, numberOfScenario('5020'))
  expect(payment).toMatchObject({ status: 'processing', amount_captured: 0 })
  await flush(payment.provider_account_id)

  const { status, body: problem } = await tell(payment.provider_account_id, success(payment.id), {
    secret: 'psec_of_a_stranger',
  })
  expect([status, problem.code]).toEqual([401, 'provider_signature_invalid'])
  expect(await rowsOf('provider_events', workspace)).toEqual([])

  for (let minutes = 0; minutes < 6; minutes += 1) {
    switchyard.clock.advance({ minutes: 2 })
    await switchyard.settle()
  }
  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'failed', failure: { code: 'do_not_honor' }, review: null })
  expect(body.summary).toBe(
    // It was known too late for another account to be asked.
    `Nothing was taken from visa ending in ${body.card.last4}: do not honor. Your bank declined this payment. Use another card.`,
  )
  expect(await approvalsOf(payment.id)).toBe(0)
})

test('a pending payment is ended by the word of the provider, without being asked about', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, numberOfScenario('5016'))
  expect(payment).toMatchObject({
    status: 'processing',
    summary: `EUR 12.99 is being asked for from visa ending in ${payment.card.last4}.`,
  })

  await control('time', { advance_ms: 5_000 })
  await flush(payment.provider_account_id)
  await switchyard.settle()

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'succeeded', amount_captured: 1299 })
  expect(body.summary).toBe(`EUR 12.99 was taken from visa ending in ${body.card.last4}.`)
  const asked = await simulator.callsOf(payment.provider_account_id)
  expect(asked.filter(({ method, path }) => method === 'GET' && path.includes('/operations/'))).toEqual([])
})

test('words in the wrong order end in the newest', async () => {
  const workspace = await switchyard.newWorkspace()
  await pay(workspace, '4242424242424242')
  const account = await accountOf(workspace)
  await simulator.configure(account, { webhooks: 'reordered' })
  const payment = await pay(workspace, numberOfScenario('5016'))
  await control('time', { advance_ms: 5_000 })
  await flush(account)
  // Long after the end, the beginning once more.
  await tell(account, success(payment.id, { status: 'pending', provider_reference: 'sim_old' }))
  await switchyard.settle()

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'succeeded', amount_captured: 1299, review: null })
  expect(body.summary).toBe(`EUR 12.99 was taken from visa ending in ${body.card.last4}.`)
  expect(await typesOf(workspace, payment.id)).toEqual(['payment.created', 'payment.succeeded'])
})

test('a word about nothing of ours is tried five more times, then given up, and somebody is warned', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '4242424242424242')
  await flush(payment.provider_account_id)
  const stranger = success(payment.id, { reference: referenceOf(payment.id, 9) })

  const { status, body } = await tell(payment.provider_account_id, stranger, { id: 'event_of_nothing' })
  expect([status, body]).toEqual([200, { received: true }])
  expect((await tell(payment.provider_account_id, stranger, { id: 'event_of_nothing' })).status).toBe(200)
  await switchyard.settle()
  for (const seconds of [1, 5, 30, 300]) {
    switchyard.clock.advance({ seconds })
    await switchyard.settle()
  }
  expect(warnings).toEqual([])
  switchyard.clock.advance({ seconds: 3_600 })
  await switchyard.settle()

  const rows = await rowsOf('provider_events', workspace)
  const [row] = rows.filter(({ dedupe_key }) => dedupe_key === 'event_of_nothing')
  expect(rows.filter(({ dedupe_key }) => dedupe_key === 'event_of_nothing')).toHaveLength(1)
  expect(row).toMatchObject({ outcome: 'unmatched', tries: 6, due_at: null })
  expect(warnings.map(({ message }) => message)).toEqual(['A word of a provider fits no operation.'])
  const { body: after } = await workspace.get(`/payments/${payment.id}`)
  expect(after).toEqual(payment)
})

test('a success of what has failed is a conflict: told once, and nothing is overwritten', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '4000000000510000')
  expect(payment.status).toBe('failed')
  const account = payment.provider_account_id

  await tell(account, success(payment.id))
  await tell(account, success(payment.id))
  await switchyard.settle()

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({
    status: 'failed',
    review: 'conflict',
    amount_captured: 0,
    failure: { code: 'insufficient_funds' },
    summary: 'What the provider says contradicts what was asked of it. Somebody has to look.',
  })
  const types = await typesOf(workspace, payment.id)
  expect(types.filter((type: string) => type === 'payment.conflict_detected')).toHaveLength(1)
  expect(types.at(-1)).toBe('payment.conflict_detected')
  const conflicts = await rowsOf('conflicts', workspace)
  expect(conflicts.map(({ kind }) => kind)).toEqual(['late_success'])
})

test('a success with another amount is not a success: somebody has to look', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, numberOfScenario('5016'))

  await tell(payment.provider_account_id, success(payment.id, { amount: 1 }))
  await tell(payment.provider_account_id, success(payment.id, { amount: 1 }))
  await switchyard.settle()

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'processing', review: 'needs_review', amount_captured: 0 })
  expect(body.summary).toBe('What the provider says contradicts what was asked of it. Somebody has to look.')
  expect(await typesOf(workspace, payment.id)).toEqual(['payment.created', 'payment.needs_review'])
  expect((await rowsOf('conflicts', workspace)).map(({ kind }) => kind)).toEqual(['different_amount'])
})

test('an account speaks for itself alone: its word about what was asked of another counts for nothing', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, numberOfScenario('5016'))
  const { body: accounts } = await workspace.get('/provider-accounts')
  const other = accounts.data.find(({ id }: { id: string }) => id !== payment.provider_account_id).id
  const foreign = await pay(await switchyard.newWorkspace(), '4242424242424242')
  // The simulator learns of an account, and of its secret, when it is needed for the first time.
  await switchyard.call('test', 'POST', `/provider-webhooks/${other}`, {})

  for (const account of [other, foreign.provider_account_id])
    expect((await tell(account, success(payment.id))).status).toBe(200)
  await switchyard.settle()

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'processing', review: null, amount_captured: 0 })
  expect(body.summary).toBe(`EUR 12.99 is being asked for from visa ending in ${body.card.last4}.`)
})

test('what is signed and cannot be read is refused, and so is an account that does not exist', async () => {
  const workspace = await switchyard.newWorkspace()
  const { provider_account_id: account } = await pay(workspace, '4242424242424242')
  await flush(account)
  const before = await rowsOf('provider_events', workspace)

  const unreadable = await send(account, '{"id": 7')
  expect([unreadable.status, unreadable.body.code]).toEqual([400, 'invalid_request'])
  const unsigned = await switchyard.call('test', 'POST', `/provider-webhooks/${account}`, {})
  expect([unsigned.status, unsigned.body.code]).toEqual([401, 'provider_signature_invalid'])
  const nobody = `${account.slice(0, -1)}${account.endsWith('0') ? '1' : '0'}`
  for (const id of [nobody, 'nonsense']) {
    const { status, body } = await switchyard.call('test', 'POST', `/provider-webhooks/${id}`, {})
    expect([status, body.code]).toEqual([404, 'not_found'])
  }
  const atProduction = await switchyard.call('live', 'POST', `/provider-webhooks/${account}`, {})
  expect(atProduction.status).toBe(404)
  expect(await rowsOf('provider_events', workspace)).toEqual(before)
})

test('after a week without an answer a person has to ask', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, numberOfScenario('5001'))
  expect(payment.summary).toMatch(/^It is not known yet whether EUR 12.99 was taken/)
  await simulator.configure(payment.provider_account_id, { outage: true })

  for (let day = 0; day < 8; day += 1) {
    switchyard.clock.advance({ days: 1, minutes: 1 })
    await switchyard.settle()
  }

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'processing', review: 'needs_review', amount_captured: 0 })
  expect(body.summary).toBe(
    `It is not known whether EUR 12.99 was taken from visa ending in ${body.card.last4}, and the provider does not tell. Somebody has to ask them.`,
  )
  expect(await typesOf(workspace, payment.id)).toEqual([
    'payment.created',
    'payment.unresolved',
    'payment.needs_review',
  ])
  // A late word still ends it.
  await tell(payment.provider_account_id, success(payment.id))
  await switchyard.settle()
  const { body: after } = await workspace.get(`/payments/${payment.id}`)
  expect(after).toMatchObject({ status: 'succeeded', amount_captured: 1299, review: null })
})
