// Cut cases: a payment at an emulated provider, with one call whose connection is cut. Many payments of one
// connector run concurrently; then time passes until every outcome must be known or under review; then the
// payments are compared with the ledger of the provider.

import { cardNumberForScenario } from '../../../simulator/src/cards.ts'
import { mapConcurrently } from '../../src/platform/map-concurrently.ts'
import type { Provider } from '../../src/providers/contract.ts'
import { simulator as protocol } from '../../src/providers/custom/provider.ts'
import {
  type Api,
  agreesWithLedger,
  approveAsPayer,
  type Card,
  createCardToken,
  createEmulatedAccount,
  type EmulatedAccount,
  type PaymentOutcome,
  readOutcome,
} from '../support/emulated-accounts.ts'
import type { LedgerTotals } from '../support/simulator-ledger.ts'
import type { Cut } from './cut-proxy.ts'
import { type CutInstallation, concurrency } from './installation.ts'
import { type CutStep, steps } from './planned-cuts.ts'

/** A connector, or the protocol of custom providers. */
export type CutProvider = Pick<Provider, 'id' | 'resolve'>

export type CutCase = { readonly step: CutStep; readonly cut: Cut }

/** `lost`: neither known nor under review, or different from the ledger of the provider. */
export type CaseResult = 'succeeded' | 'failed' | 'in_review' | 'double_charge' | 'lost'

export type CutResult = CutCase & {
  readonly paymentId: string
  readonly result: CaseResult
  /** The number of bytes of the complete response. */
  readonly responseBytes: number
  /** Whether the planned call was made, so that it was cut. */
  readonly wasCut: boolean
  /** What the payment and the ledger contain, for the report of a failure. */
  readonly details: string
}

/** The steps of a connector that make a call. Without a lookup there is nothing to cut. */
export function stepsOf({ resolve }: CutProvider): readonly CutStep[] {
  return steps.filter((step) => step !== 'lookup' || resolve.lookup !== 'none')
}

type StartedCase = CutCase & {
  readonly amount: number
  readonly name: string
  readonly paymentId: string
  readonly workspace: Api
}

export type CutShop = {
  readonly installation: CutInstallation
  readonly provider: CutProvider
  readonly account: EmulatedAccount
  /** Sends no webhooks, so that only a lookup finds the result. */
  readonly accountWithoutWebhooks: EmulatedAccount
}

export async function openShop(installation: CutInstallation, provider: CutProvider): Promise<CutShop> {
  const newAccount = async () => createAccount(await installation.newWorkspace(), provider.id)
  const [account, accountWithoutWebhooks] = [await newAccount(), await newAccount()]
  const path = `/provider-accounts/${accountWithoutWebhooks.id}`
  await accountWithoutWebhooks.workspace.put(path, { config: { webhooks: 'off' } })
  return { installation, provider, account, accountWithoutWebhooks }
}

/** A new workspace has accounts of the simulator, which uses the protocol. One of them is used. */
async function createAccount(workspace: Api, provider: string): Promise<EmulatedAccount> {
  if (provider !== protocol.id) return createEmulatedAccount(workspace, provider)
  const { body: accounts } = await workspace.get('/provider-accounts')
  const [id, ...others] = accounts.data.map((account: { id: string }) => account.id)
  for (const other of others) await workspace.post(`/provider-accounts/${other}/disable`)
  return { workspace, id, provider }
}

/** Each amount is used once in an installation. */
let lastAmount = 1_000

/** Seconds after which pending results of emulators are known. */
const preparationSeconds = [10, 65]
/** The waits of the resolver, and more days than an outcome may stay unknown without a review. */
const recoverySeconds = [3, 12, 65, 310, 910, 3_700, 22_000, ...Array<number>(9).fill(86_500)]

export async function runCases(shop: CutShop, cases: readonly CutCase[]): Promise<readonly CutResult[]> {
  const { installation } = shop
  const started = await mapConcurrently(concurrency, cases, (next) => startCase(shop, next))
  for (const seconds of preparationSeconds) await installation.letTimePass(seconds)
  await mapConcurrently(concurrency, started, followUp)
  for (const seconds of recoverySeconds) await installation.letTimePass(seconds)
  const { sums } = await installation.simulator.control<{ sums: PaymentTotals[] }>('GET', 'sums')
  const totals = new Map(sums.map((sum) => [sum.payment_id, sum]))
  return mapConcurrently(concurrency, started, (one) => resultOf(installation, one, totals))
}

const card = (scenario: string): Card => ({ number: cardNumberForScenario(scenario), scenario })
const approved: Card = { number: '4242424242424242', scenario: 'approve' }
const challenged = card('3000')
const pending = card('5016')

/** An operation that can be looked up only with the provider's id must be pending, because a lost response has none. */
function cardFor({ resolve }: CutProvider, step: CutStep): Card {
  if (step === 'complete') return challenged
  return step === 'lookup' && resolve.lookup === 'provider_id' ? pending : approved
}

/** Whether a webhook could report the result before the step, so that its call would not be made. */
function isReportedByWebhook({ resolve }: CutProvider, step: CutStep): boolean {
  return step === 'lookup' || (step === 'complete' && !resolve.completedByUs)
}

async function startCase(shop: CutShop, { step, cut }: CutCase): Promise<StartedCase> {
  const { provider, installation } = shop
  const account = isReportedByWebhook(provider, step) ? shop.accountWithoutWebhooks : shop.account
  const { workspace } = account
  lastAmount += 1
  const amount = lastAmount
  const losesAuthorizations = step === 'lookup' && provider.resolve.lookup === 'reference'
  const token = await createCardToken(account, cardFor(provider, step))
  const name = installation.cuts.plan(amount, { step, cut, losesAuthorizations })
  const { body } = await workspace.post('/payments', {
    amount,
    currency: 'eur',
    token,
    capture_method: step === 'capture' || step === 'void' ? 'manual' : 'automatic',
    return_url: 'https://shop.example.com/',
  })
  const paymentId: string = body.resource_id ?? body.id
  if (body.next_action != null) await approveAsPayer(body.next_action.url)
  return { step, cut, amount, name, paymentId, workspace }
}

async function followUp({ step, paymentId, workspace }: StartedCase): Promise<void> {
  if (step === 'capture') await workspace.post(`/payments/${paymentId}/capture`, {})
  if (step === 'void') await workspace.post(`/payments/${paymentId}/cancel`, {})
  if (step === 'refund') await workspace.post('/refunds', { payment_id: paymentId })
}

type PaymentTotals = LedgerTotals & { readonly payment_id: string }

const noTotals = { approvals: 0, authorized: 0, captured: 0, voided: 0, refunded: 0 }

async function resultOf(
  { proxy }: CutInstallation,
  { step, cut, amount, name, paymentId, workspace }: StartedCase,
  totalsOf: ReadonlyMap<string, PaymentTotals>,
): Promise<CutResult> {
  const payment = await readOutcome(workspace, paymentId)
  const totals: LedgerTotals = totalsOf.get(paymentId) ?? noTotals
  const responseBytes = proxy.applied.get(name)
  return {
    step,
    cut,
    paymentId,
    result: classify(step, amount, payment, totals),
    responseBytes: responseBytes ?? 0,
    wasCut: responseBytes !== undefined,
    details: `${payment.status}, ${payment.review}, ${payment.summary} ${JSON.stringify(totals)}`,
  }
}

function classify(step: CutStep, amount: number, payment: PaymentOutcome, totals: LedgerTotals): CaseResult {
  const { approvals, authorized, captured, voided, refunded } = totals
  if (approvals > 1 || [authorized, captured, voided, refunded].some((total) => total > amount))
    return 'double_charge'
  if (!agreesWithLedger(payment, totals)) return 'lost'
  if (payment.review !== null) return 'in_review'
  return isDone(step, amount, payment) ? 'succeeded' : 'failed'
}

/** Whether the step had its effect. */
function isDone(step: CutStep, amount: number, payment: PaymentOutcome): boolean {
  const { status, amount_captured, amount_refunded } = payment
  if (step === 'void') return status === 'cancelled'
  if (step === 'refund') return amount_refunded === amount
  return status === 'succeeded' && amount_captured === amount
}
