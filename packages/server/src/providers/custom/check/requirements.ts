/**
 * Requirements for a single operation: executed once, the same response to repeated requests, and a definite
 * outcome.
 */
import type { HttpReply, ListedOperation, ListPage, OperationInput } from '../../contract.ts'
import { testOf } from '../../read.ts'
import { pageIn } from '../answer.ts'
import { completeOperation, deleteToken, get, listOperations, putOperation } from '../request.ts'
import { sign, signatureHeader } from '../signature.ts'
import { ErrorResponse } from '../wire.ts'
import { describeOutcome, expect, lookupDefaults, type Probe } from './probe.ts'

export type Requirement = {
  readonly name: string
  /** Whether the requirement applies to this provider. */
  readonly applies?: (probe: Probe) => boolean
  readonly run: (probe: Probe) => Promise<void>
}

const withCard = ({ settings }: Probe) => settings.instrument !== null

export const recordRequirements: readonly Requirement[] = [
  { name: 'health returns 200', run: health },
  { name: 'lookup of an unknown operation returns 404', run: lookupUnknown },
  { name: 'closing an unknown operation stores it as closed', run: closeUnknown },
  {
    name: 'an operation is processed, and its record matches the request',
    applies: withCard,
    run: processOnce,
  },
  { name: 'a repeated request returns the record of the first', applies: withCard, run: repeat },
  { name: 'concurrent repeated requests are processed once', applies: withCard, run: repeatConcurrently },
  {
    name: 'a different body with the same reference returns 409 reference_reused',
    applies: withCard,
    run: otherBody,
  },
  { name: 'lookup returns the record', applies: withCard, run: lookup },
  {
    name: 'a list since a given time contains the later operations, on several pages',
    applies: (probe) => withCard(probe) && probe.manifest.features.list === true,
    run: list,
  },
  { name: 'closing a succeeded operation changes nothing', applies: withCard, run: closeSucceeded },
  {
    name: 'a closed operation is rejected with 409 operation_closed',
    applies: withCard,
    run: putClosed,
  },
  { name: 'unknown members are ignored', applies: withCard, run: unknownMember },
  {
    name: 'completing an unknown operation is rejected',
    applies: ({ manifest }) => manifest.features.complete,
    run: completeUnknown,
  },
  {
    name: 'deleting an unknown token succeeds',
    applies: ({ manifest }) => manifest.features.tokens,
    run: deleteUnknownToken,
  },
]

async function health(probe: Probe) {
  const { status } = await probe.send(get('/health', probe.context))
  expect(status === 200, `The provider returned ${status}.`)
}

async function lookupUnknown(probe: Probe) {
  const found = await probe.lookUp(probe.newOperation())
  expect(found.is === 'absent', `The result was ${describeOutcome(found)}.`)
}

async function closeUnknown(probe: Probe) {
  const input = probe.newOperation()
  for (const nth of ['first', 'second']) {
    const found = await probe.close(input)
    expect(found.is === 'closed', `The result of the ${nth} request was ${describeOutcome(found)}.`)
  }
  const found = await probe.lookUp(input)
  expect(found.is === 'closed', `A lookup then returned ${describeOutcome(found)}.`)
}

async function processOnce(probe: Probe) {
  await probe.succeed(probe.newOperation())
}

async function repeat(probe: Probe) {
  const input = probe.newOperation()
  const first = await probe.succeed(input)
  const second = await probe.succeed(input)
  expect(
    second.ref === first.ref,
    `The references were ${first.ref} and ${second.ref}: the card was charged twice.`,
  )
}

async function repeatConcurrently(probe: Probe) {
  const input = probe.newOperation()
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => probe.succeed(input)))
  const refs = new Set(outcomes.map(({ ref }) => ref))
  expect(refs.size === 1, `Five concurrent requests caused ${refs.size} charges.`)
}

async function otherBody(probe: Probe) {
  const input = probe.newOperation()
  const first = await probe.succeed(input)
  const other = { ...input, money: { ...input.money, amount: input.money.amount + 1n } }
  expectError(await probe.send(putOperation(other, probe.context)), 409, 'reference_reused')

  const found = await probe.lookUp(input)
  const isSame =
    found.is === 'succeeded' && found.ref === first.ref && found.money.amount === input.money.amount
  expect(isSame, `The record changed to ${describeOutcome(found)}.`)
}

async function lookup(probe: Probe) {
  const input = probe.newOperation()
  const first = await probe.succeed(input)
  const found = await probe.lookUp(input)
  expect(found.is === 'succeeded' && found.ref === first.ref, `The result was ${describeOutcome(found)}.`)
}

async function list(probe: Probe) {
  // The clocks may differ.
  const since = new Date(probe.context.now.getTime() - 60_000)
  const input = probe.newOperation()
  const { ref } = await probe.succeed(input)
  const listed: ListedOperation[] = []
  const maxPages = 1_000
  let cursor: string | null = null
  for (let pages = 0; pages === 0 || (cursor !== null && pages < maxPages); pages++) {
    const page: ListPage = pageIn(await probe.send(listOperations({ since, cursor }, probe.context)))
    listed.push(...page.operations)
    cursor = page.next
  }
  const entry = listed.find(({ reference }) => reference === input.reference)
  expect(entry !== undefined, `The operation is missing in the ${listed.length} operations of the list.`)
  const { kind, status, providerReference, money, capture, paymentId } = entry
  const isSame =
    kind === input.kind &&
    status === 'succeeded' &&
    providerReference === ref &&
    money.amount === input.money.amount &&
    capture === input.capture &&
    paymentId === input.paymentId
  expect(isSame, 'Kind, status, provider_reference, amount, capture or payment_id of its entry differ.')
}

async function closeSucceeded(probe: Probe) {
  const input = probe.newOperation()
  await probe.succeed(input)
  for (const found of [await probe.close(input), await probe.lookUp(input)])
    expect(found.is === 'succeeded', `A successful charge changed to ${describeOutcome(found)}.`)
}

async function putClosed(probe: Probe) {
  const input = probe.newOperation()
  await probe.close(input)
  expectError(await probe.send(putOperation(input, probe.context)), 409, 'operation_closed')
  const found = await probe.lookUp(input)
  expect(found.is === 'closed', `The result is now ${describeOutcome(found)}.`)
}

async function unknownMember(probe: Probe) {
  const input: OperationInput = probe.newOperation()
  const call = putOperation(input, probe.context)
  const body = JSON.stringify({ ...JSON.parse(call.body ?? '{}'), a_future_member: { deep: [1] } })
  const path = new URL(call.url).pathname
  const { secrets } = probe.context.config
  const signature = sign({ way: 'request', method: call.method, path, body }, secrets, probe.context.now)
  const { status } = await probe.send({
    ...call,
    body,
    headers: { ...call.headers, [signatureHeader]: signature },
  })
  expect(status === 200 || status === 202, `The provider returned ${status}.`)
}

async function completeUnknown(probe: Probe) {
  const input = { ...probe.newOperation(), ...lookupDefaults, returnParams: {} }
  const { status } = await probe.send(completeOperation(input, probe.context))
  expect(status >= 400 && status < 500, `The provider returned ${status}.`)
}

async function deleteUnknownToken(probe: Probe) {
  const { status } = await probe.send(deleteToken({ token: 'check_unknown' }, probe.context))
  expect([200, 204, 404].includes(status), `The provider returned ${status}.`)
}

const isError = testOf(ErrorResponse)

function expectError({ status, body }: HttpReply, expectedStatus: number, code: string): void {
  expect(status === expectedStatus, `The provider returned ${status} instead of ${expectedStatus}.`)
  const actualCode = isError(body) ? (JSON.parse(body) as { error: { code: string } }).error.code : 'nothing'
  expect(actualCode === code, `The error code was ${actualCode} instead of ${code}.`)
}
