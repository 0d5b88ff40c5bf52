/** Requirements for amounts: integers in minor units, and no refund beyond the captured amount. */
import type { Money } from '../../../kernel/money.ts'
import type { OperationInput, OperationKind } from '../../contract.ts'
import { describeOutcome, expect, type Probe } from './probe.ts'
import type { Requirement } from './requirements.ts'

const can =
  (...kinds: OperationKind[]) =>
  ({ settings, manifest }: Probe) =>
    settings.instrument !== null && kinds.every((kind) => manifest.capabilities.kinds.includes(kind))

const canAuthorizeOnly = (probe: Probe) => can('capture')(probe) && probe.manifest.capabilities.manual_capture
const canRefundParts = (probe: Probe) => can('refund')(probe) && probe.manifest.capabilities.partial_refund

export const moneyRequirements: readonly Requirement[] = [
  ...(['eur', 'jpy', 'kwd'] as const).map(
    (currency): Requirement => ({
      name: `amounts in ${currency} are returned unchanged`,
      applies: (probe) => can('authorize')(probe) && probe.currencies().includes(currency),
      run: async (probe) => {
        await probe.succeed(probe.newOperation({ money: probe.money(currency) }))
      },
    }),
  ),
  { name: 'a card is verified without a charge', applies: can('verify'), run: verify },
  { name: 'an authorization can be captured partially', applies: canAuthorizeOnly, run: capture },
  { name: 'a capture cannot exceed the authorization', applies: canAuthorizeOnly, run: captureTooMuch },
  {
    name: 'a voided authorization cannot be captured',
    applies: (probe) => canAuthorizeOnly(probe) && can('void')(probe),
    run: captureVoided,
  },
  { name: 'a charge can be refunded', applies: can('refund'), run: refund },
  {
    name: 'a charge can be refunded in parts, but not beyond its amount',
    applies: canRefundParts,
    run: refundTooMuch,
  },
  { name: 'a repeated refund is processed once', applies: canRefundParts, run: refundOnce },
  { name: 'an unknown charge cannot be refunded', applies: can('refund'), run: refundUnknown },
]

async function verify(probe: Probe) {
  const money = { ...probe.money(), amount: 0n }
  await probe.succeed(probe.newOperation({ kind: 'verify', money, capture: false }))
}

async function capture(probe: Probe) {
  const authorization = await authorizeOnly(probe)
  await probe.succeed(probe.following(authorization, 'capture', part(authorization, 1n, 2n)))
}

async function captureTooMuch(probe: Probe) {
  const authorization = await authorizeOnly(probe)
  await expectRefused(probe, probe.following(authorization, 'capture', part(authorization, 2n, 1n)))
}

async function captureVoided(probe: Probe) {
  const authorization = await authorizeOnly(probe)
  await probe.succeed(probe.following(authorization, 'void'))
  await expectRefused(probe, probe.following(authorization, 'capture'))
}

async function refund(probe: Probe) {
  const charge = await createCharge(probe)
  await probe.succeed(probe.following(charge, 'refund'))
  await expectRefused(probe, probe.following(charge, 'refund'))
}

async function refundTooMuch(probe: Probe) {
  const charge = await createCharge(probe)
  const half = part(charge, 1n, 2n)
  await probe.succeed(probe.following(charge, 'refund', half))
  await expectRefused(probe, probe.following(charge, 'refund'))
  const rest = { ...half, amount: charge.money.amount - half.amount }
  await probe.succeed(probe.following(charge, 'refund', rest))
}

async function refundOnce(probe: Probe) {
  const charge = await createCharge(probe)
  const half = probe.following(charge, 'refund', part(charge, 1n, 2n))
  for (const _ of ['first', 'second', 'third']) await probe.succeed(half)
  const rest = { ...half.money, amount: charge.money.amount - half.money.amount }
  await probe.succeed(probe.following(charge, 'refund', rest))
}

async function refundUnknown(probe: Probe) {
  await expectRefused(probe, probe.following(probe.newOperation(), 'refund'))
}

async function createCharge(probe: Probe): Promise<OperationInput> {
  const input = probe.newOperation()
  await probe.succeed(input)
  return input
}

async function authorizeOnly(probe: Probe): Promise<OperationInput> {
  const input = probe.newOperation({ capture: false })
  await probe.succeed(input)
  return input
}

/** Requires a decline or a rejection: with any other outcome money may have moved. */
async function expectRefused(probe: Probe, input: OperationInput): Promise<void> {
  const outcome = await probe.operate(input)
  const isRefused = outcome.is === 'declined' || outcome.is === 'rejected'
  expect(
    isRefused,
    `The result of the ${input.kind} of ${input.money.amount} ${input.money.currency} was ${describeOutcome(outcome)}.`,
  )
}

function part({ money }: OperationInput, numerator: bigint, denominator: bigint): Money {
  return { amount: (money.amount * numerator) / denominator, currency: money.currency }
}
