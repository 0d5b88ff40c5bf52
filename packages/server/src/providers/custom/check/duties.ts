/** What a provider owes about one operation: once, the same answer ever after, and an end to every doubt. */
import type { HttpReply, OperationInput } from '../../contract.ts'
import { testOf } from '../../read.ts'
import { completeOperation, deleteToken, get, putOperation } from '../request.ts'
import { sign, signatureHeader } from '../signature.ts'
import { ErrorAnswer } from '../wire.ts'
import { expect, type Probe, told } from './probe.ts'

export type Duty = {
  readonly name: string
  /** Whether it is asked of this provider. */
  readonly applies?: (probe: Probe) => boolean
  readonly run: (probe: Probe) => Promise<void>
}

const withCard = ({ settings }: Probe) => settings.instrument !== null

export const recordDuties: readonly Duty[] = [
  { name: 'health answers 200', run: health },
  { name: 'a lookup of what never was is 404', run: lookupOfNothing },
  { name: 'closing what never was leaves a tombstone', run: tombstone },
  { name: 'an operation is done, and its record says what was asked for', applies: withCard, run: once },
  { name: 'a repeat answers the record of the first', applies: withCard, run: repeat },
  { name: 'repeats at the same time are one operation', applies: withCard, run: together },
  {
    name: 'another body under the same reference is 409 reference_reused',
    applies: withCard,
    run: otherBody,
  },
  { name: 'a lookup gives the record', applies: withCard, run: lookup },
  { name: 'closing what has succeeded changes nothing', applies: withCard, run: closeOfSuccess },
  {
    name: 'after closing, the operation is refused with 409 operation_closed',
    applies: withCard,
    run: closed,
  },
  { name: 'members that you do not know are passed over', applies: withCard, run: unknownMember },
  {
    name: 'completing what never was is refused',
    applies: ({ manifest }) => manifest.features.complete,
    run: completeOfNothing,
  },
  {
    name: 'forgetting a card that nobody knows is fine',
    applies: ({ manifest }) => manifest.features.tokens,
    run: forgetNothing,
  },
]

async function health(probe: Probe) {
  const { status } = await probe.send(get('/health', probe.context))
  expect(status === 200, `It answered ${status}.`)
}

async function lookupOfNothing(probe: Probe) {
  const found = await probe.lookUp(probe.newOperation())
  expect(found.is === 'absent', `It was ${told(found)}.`)
}

async function tombstone(probe: Probe) {
  const input = probe.newOperation()
  for (const nth of ['first', 'second']) {
    const found = await probe.close(input)
    expect(found.is === 'closed', `The ${nth} time it was ${told(found)}.`)
  }
  const found = await probe.lookUp(input)
  expect(found.is === 'closed', `A lookup then said ${told(found)}.`)
}

async function once(probe: Probe) {
  await probe.succeed(probe.newOperation())
}

async function repeat(probe: Probe) {
  const input = probe.newOperation()
  const first = await probe.succeed(input)
  const second = await probe.succeed(input)
  expect(second.ref === first.ref, `It was ${first.ref} and then ${second.ref}: the card was charged twice.`)
}

async function together(probe: Probe) {
  const input = probe.newOperation()
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => probe.succeed(input)))
  const refs = new Set(outcomes.map(({ ref }) => ref))
  expect(refs.size === 1, `Five repeats at once made ${refs.size} charges.`)
}

async function otherBody(probe: Probe) {
  const input = probe.newOperation()
  const first = await probe.succeed(input)
  const other = { ...input, money: { ...input.money, amount: input.money.amount + 1n } }
  expectError(await probe.send(putOperation(other, probe.context)), 409, 'reference_reused')

  const found = await probe.lookUp(input)
  const isSame =
    found.is === 'succeeded' && found.ref === first.ref && found.money.amount === input.money.amount
  expect(isSame, `The record changed: it is ${told(found)}.`)
}

async function lookup(probe: Probe) {
  const input = probe.newOperation()
  const first = await probe.succeed(input)
  const found = await probe.lookUp(input)
  expect(found.is === 'succeeded' && found.ref === first.ref, `It was ${told(found)}.`)
}

async function closeOfSuccess(probe: Probe) {
  const input = probe.newOperation()
  await probe.succeed(input)
  for (const found of [await probe.close(input), await probe.lookUp(input)])
    expect(found.is === 'succeeded', `A charge that was made became ${told(found)}.`)
}

async function closed(probe: Probe) {
  const input = probe.newOperation()
  await probe.close(input)
  expectError(await probe.send(putOperation(input, probe.context)), 409, 'operation_closed')
  const found = await probe.lookUp(input)
  expect(found.is === 'closed', `It is ${told(found)} now.`)
}

async function unknownMember(probe: Probe) {
  const input: OperationInput = probe.newOperation()
  const call = putOperation(input, probe.context)
  const body = JSON.stringify({ ...JSON.parse(call.body ?? '{}'), a_member_to_come: { deep: [1] } })
  const path = new URL(call.url).pathname
  const { secrets } = probe.context.config
  const signature = sign({ way: 'request', method: call.method, path, body }, secrets, probe.context.now)
  const { status } = await probe.send({
    ...call,
    body,
    headers: { ...call.headers, [signatureHeader]: signature },
  })
  expect(status === 200 || status === 202, `It answered ${status}.`)
}

async function completeOfNothing(probe: Probe) {
  const input = { ...probe.newOperation(), providerReference: null, returnParams: {} }
  const { status } = await probe.send(completeOperation(input, probe.context))
  expect(status >= 400 && status < 500, `It answered ${status}.`)
}

async function forgetNothing(probe: Probe) {
  const { status } = await probe.send(deleteToken({ token: 'check_unknown' }, probe.context))
  expect([200, 204, 404].includes(status), `It answered ${status}.`)
}

const isError = testOf(ErrorAnswer)

function expectError({ status, body }: HttpReply, wanted: number, code: string): void {
  expect(status === wanted, `It answered ${status} instead of ${wanted}.`)
  const said = isError(body) ? (JSON.parse(body) as { error: { code: string } }).error.code : 'nothing'
  expect(said === code, `The code of its error was ${said} instead of ${code}.`)
}
