/** Amounts are whole numbers of the smallest unit, and nobody gets more than was taken. */
import type { Money } from '../../../kernel/money.ts'
import type { OperationInput, OperationKind } from '../../contract.ts'
import type { Duty } from './duties.ts'
import { expect, type Probe, told } from './probe.ts'

const can =
  (...kinds: OperationKind[]) =>
  ({ settings, manifest }: Probe) =>
    settings.instrument !== null && kinds.every((kind) => manifest.capabilities.kinds.includes(kind))

const canHold = (probe: Probe) => can('capture')(probe) && probe.manifest.capabilities.manual_capture
const canRefundParts = (probe: Probe) => can('refund')(probe) && probe.manifest.capabilities.partial_refund

export const moneyDuties: readonly Duty[] = [
  ...(['eur', 'jpy', 'kwd'] as const).map(
    (currency): Duty => ({
      name: `amounts in ${currency} come back as they went`,
      applies: (probe) => can('authorize')(probe) && probe.currencies().includes(currency),
      run: async (probe) => {
        await probe.succeed(probe.newOperation({ money: probe.money(currency) }))
      },
    }),
  ),
  { name: 'a card is verified without money', applies: can('verify'), run: verify },
  { name: 'what is held can be captured in part', applies: canHold, run: capture },
  { name: 'no more is captured than is held', applies: canHold, run: captureTooMuch },
  {
    name: 'what was voided cannot be captured',
    applies: (probe) => canHold(probe) && can('void')(probe),
    run: voided,
  },
  { name: 'what was taken can be refunded', applies: can('refund'), run: refund },
  {
    name: 'a part can be refunded, and then the rest, but no more',
    applies: canRefundParts,
    run: refundTooMuch,
  },
  { name: 'a refund that is repeated is one refund', applies: canRefundParts, run: refundOnce },
  { name: 'nothing is refunded of what never was', applies: can('refund'), run: refundOfNothing },
]

async function verify(probe: Probe) {
  const money = { ...probe.money(), amount: 0n }
  await probe.succeed(probe.newOperation({ kind: 'verify', money, capture: false }))
}

async function capture(probe: Probe) {
  const held = await hold(probe)
  await probe.succeed(probe.following(held, 'capture', part(held, 1n, 2n)))
}

async function captureTooMuch(probe: Probe) {
  const held = await hold(probe)
  await refuses(probe, probe.following(held, 'capture', part(held, 2n, 1n)))
}

async function voided(probe: Probe) {
  const held = await hold(probe)
  await probe.succeed(probe.following(held, 'void'))
  await refuses(probe, probe.following(held, 'capture'))
}

async function refund(probe: Probe) {
  const taken = await take(probe)
  await probe.succeed(probe.following(taken, 'refund'))
  await refuses(probe, probe.following(taken, 'refund'))
}

async function refundTooMuch(probe: Probe) {
  const taken = await take(probe)
  const half = part(taken, 1n, 2n)
  await probe.succeed(probe.following(taken, 'refund', half))
  await refuses(probe, probe.following(taken, 'refund'))
  const rest = { ...half, amount: taken.money.amount - half.amount }
  await probe.succeed(probe.following(taken, 'refund', rest))
}

async function refundOnce(probe: Probe) {
  const taken = await take(probe)
  const half = probe.following(taken, 'refund', part(taken, 1n, 2n))
  for (const _ of ['first', 'second', 'third']) await probe.succeed(half)
  const rest = { ...half.money, amount: taken.money.amount - half.money.amount }
  await probe.succeed(probe.following(taken, 'refund', rest))
}

async function refundOfNothing(probe: Probe) {
  await refuses(probe, probe.following(probe.newOperation(), 'refund'))
}

async function take(probe: Probe): Promise<OperationInput> {
  const input = probe.newOperation()
  await probe.succeed(input)
  return input
}

async function hold(probe: Probe): Promise<OperationInput> {
  const input = probe.newOperation({ capture: false })
  await probe.succeed(input)
  return input
}

/** Declined or rejected: anything else leaves open whether money moved. */
async function refuses(probe: Probe, input: OperationInput): Promise<void> {
  const outcome = await probe.operate(input)
  const isRefused = outcome.is === 'declined' || outcome.is === 'rejected'
  expect(
    isRefused,
    `The ${input.kind} of ${input.money.amount} ${input.money.currency} was ${told(outcome)}.`,
  )
}

function part({ money }: OperationInput, numerator: bigint, denominator: bigint): Money {
  return { amount: (money.amount * numerator) / denominator, currency: money.currency }
}
