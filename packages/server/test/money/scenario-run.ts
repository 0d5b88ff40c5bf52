// The state of a running scenario, and its time.

import type { WorkType } from '../../src/deps.ts'
import { withTimeout } from '../../src/platform/engine/cancellable-sleep.ts'
import { expireIdempotencyLeases, type Harness, type TestWorkspace } from './harness.ts'
import type { KindCounts } from './kind-counts.ts'
import type { PaymentScenario, Request, ScenarioOf, Step } from './payment-scenario.ts'
import type { ReportedDispute } from './provider-actions.ts'
import type { RouteVariant } from './route-variants.ts'

/** The published route and the open circuit breakers between two changes. */
export type RoutingState = {
  readonly variant: RouteVariant
  readonly revision: number
  readonly open: ReadonlySet<string>
}

export type Response = { readonly status: number; readonly text: string; readonly isReceived: boolean }

/** Finds the due work of a scenario. `handlers` has the handler of each kind of work. */
export type DueWorkSource = {
  readonly handlers: Readonly<Record<string, WorkType>>
  findDueWork(run: ScenarioRun): Promise<DueItem[]>
}

export type DueItem = {
  readonly work: string
  readonly id: string
  readonly atMs: number
  /** Whether the work is the expiry of an authorization that was not captured. */
  readonly isAuthorizationExpiry: boolean
}

export type HttpRequest = {
  readonly method: 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly payload?: object | string
  readonly headers?: Readonly<Record<string, string>>
}

/** The run of a scenario of any kind. */
export type ScenarioRun = {
  readonly harness: Harness
  readonly workspace: TestWorkspace
  readonly scenario: ScenarioOf<unknown>
  readonly dueWork: DueWorkSource
  readonly name: string
  /** The lowest id that an object of this scenario can have. */
  readonly floor: string
  /** The number of ledger entries of each provider account before the scenario. */
  readonly ledgerEntriesBefore: readonly number[]
  readonly sent: Map<number, HttpRequest & { readonly isInterrupted: boolean }>
  readonly responses: Map<number, Response[]>
  readonly lines: string[]
  readonly violations: string[]
}

/** The run of a payment scenario. */
export type PaymentRun = ScenarioRun & {
  readonly scenario: PaymentScenario
  /** The ids of payments, from responses. */
  readonly ids: Map<number, string>
  /** All routing states during the run, beginning with the initial state. */
  readonly routingStates: RoutingState[]
  /** The first and last routing state in which each payment may have been created. */
  readonly routingStatesDuring: Map<number, { readonly from: number; readonly to: number }>
  /** The disputes at the providers, in the order in which they were opened. */
  readonly disputes: ReportedDispute[]
  /** The number of calls to each provider account before the scenario. */
  readonly callsBefore: readonly number[]
}

export type RunResult = {
  readonly lines: readonly string[]
  readonly violations: readonly string[]
  /** What happened at each kind of account; missing if the scenario could not be run. */
  readonly counts?: KindCounts
}

export type LedgerEntry = {
  readonly fact: 'verification' | 'charge' | 'capture' | 'void' | 'refund' | 'return'
  readonly reference: string
  readonly provider_reference: string
  readonly parent_reference: string | null
  readonly payment_id: string
  readonly amount: number
  readonly currency: string
  readonly capture: boolean
  readonly at: string
}

/** A request as recorded by the simulator. */
export type ProviderCall = {
  readonly at: string
  readonly method: string
  readonly answer: string | null
  readonly body: {
    readonly reference?: string
    readonly kind?: string
    readonly amount?: number
    readonly initiator?: string
    readonly metadata?: { readonly simulate?: string }
  } | null
}

export async function fetchLedgerEntries(
  { simulator }: Harness,
  account: string,
): Promise<readonly LedgerEntry[]> {
  return (await simulator.control<{ facts: readonly LedgerEntry[] }>('GET', `${account}/ledger`)).facts
}

export async function fetchCalls({ simulator }: Harness, account: string): Promise<readonly ProviderCall[]> {
  return (await simulator.control<{ calls: readonly ProviderCall[] }>('GET', `${account}/calls`)).calls
}

/** Every call that is not frozen ends within this time, with a response or a timeout. */
const maxCallMs = 65_000
const keyLeaseMs = 60_000

export async function advanceTime(run: ScenarioRun, ms: number): Promise<void> {
  const { harness } = run
  if (ms >= maxCallMs) await waitForBackgroundTasks(harness)
  harness.clock.advance(ms)
  await harness.simulator.control('POST', 'time', { advance_ms: ms })
  if (ms >= keyLeaseMs) await expireKeyLeases(run)
}

const freezeCheckMs = 5

/** Waits for background tasks, except for frozen ones. */
export async function waitForBackgroundTasks({ backgroundTasks }: Harness): Promise<void> {
  for (;;) {
    const running = [...backgroundTasks].filter(({ simulated }) => simulated?.isFrozen !== true)
    if (running.length === 0) return
    // Check again regularly, because a task may freeze in the meantime.
    await withTimeout(freezeCheckMs, Promise.all(running.map(({ ended }) => ended)), null)
  }
}

/**
 * Expires the leases of idempotency keys, because the API rejects a repeated request until the lease has
 * expired.
 */
export function expireKeyLeases({ harness, workspace, floor }: ScenarioRun): Promise<void> {
  return expireIdempotencyLeases(harness.installation, workspace.workspaceId, floor)
}

export function requestsIn({ steps }: PaymentScenario): Request[] {
  const actions = steps.flatMap((step): readonly Step[] => (step.do === 'together' ? step.actions : [step]))
  return actions.filter((action): action is Request =>
    ['pay', 'capture', 'cancel', 'refund'].includes(action.do),
  )
}
