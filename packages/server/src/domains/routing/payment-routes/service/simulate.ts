/** Simulates the path of a payment. Writes nothing, and calls no provider. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { declineCodes } from '../../../../providers/declines.ts'
import { listCandidates } from '../../provider-accounts/service.ts'
import type { DecisionInput } from '../engine/choose.ts'
import { type CompiledRoute, compileRoute } from '../engine/compile.ts'
import type { Candidate } from '../engine/eligibility.ts'
import { type Operands, withDefaultOperands } from '../engine/operands.ts'
import type { DrawKeys } from '../engine/split-draw.ts'
import { paymentErrors } from '../lint/validate.ts'
import type { SimulatePaymentRoute } from '../schema/simulation.ts'
import { pathOf } from '../simulation/path.ts'
import type { Simulation } from '../simulation/simulation.ts'
import { listSnapshots } from '../store/learning.ts'
import { findPastPayment } from '../store/payments.ts'
import { requireRoute } from '../store/routes.ts'
import { requireDefinition } from './lint.ts'
import { requireRevision } from './save.ts'

export function simulatePaymentRoute(
  deps: Deps,
  caller: Caller,
  id: string,
  body: SimulatePaymentRoute,
): Promise<Simulation> {
  const { held = [], open = [], outcomes = [] } = body.assume ?? {}
  requireOutcomes(outcomes)
  return transact(deps, caller, async (tx) => {
    const route = await routeOf(tx, id, body)
    const { operands, keys } = await paymentOf(tx, body)
    const input: DecisionInput = {
      operands,
      keys,
      tried: [],
      openCircuits: new Set(open),
      instrument: { hasCardNumber: true, tokensAt: new Set<string>() },
      snapshot: (await listSnapshots(tx)).get(route.id ?? '') ?? null,
    }
    return { operands, path: pathOf(route, input, await listWithHolds(tx, held), outcomes) }
  })
}

function requireOutcomes(outcomes: readonly string[]): void {
  const allowedOutcomes: readonly string[] = ['approved', 'unknown', ...declineCodes]
  const index = outcomes.findIndex((outcome) => !allowedOutcomes.includes(outcome))
  if (index === -1) return
  refuseMember(`/assume/outcomes/${index}`, 'not_in_list', 'must be approved, unknown or a decline code')
}

async function routeOf(tx: Tx, id: string, body: SimulatePaymentRoute): Promise<CompiledRoute> {
  const head = await requireRoute(tx, id)
  const { revision, definition } = body
  if (definition !== undefined) {
    if (revision !== undefined)
      refuseMember('/revision', 'not_together', 'cannot be combined with definition')
    return compileRoute({ id: head.id, revision: null }, requireDefinition(definition, '/definition'))
  }
  const simulatedRevision = await requireRevision(tx, head, revision ?? head.revision ?? head.latestRevision)
  return compileRoute({ id: head.id, revision: simulatedRevision.number }, simulatedRevision.definition)
}

type SimulatedPayment = { readonly operands: Operands; readonly keys: DrawKeys }

async function paymentOf(
  tx: Tx,
  { payment_id, operands, draw_by }: SimulatePaymentRoute,
): Promise<SimulatedPayment> {
  if (payment_id !== undefined) {
    if (operands !== undefined)
      refuseMember('/operands', 'not_together', 'cannot be combined with payment_id')
    return (await findPastPayment(tx, payment_id)) ?? refusePayment()
  }
  if (operands === undefined)
    return refuseMember('/operands', 'required', 'is required unless payment_id is sent')
  const errors = paymentErrors(operands, '/operands')
  if (errors.length > 0) refuse('invalid_request', { errors })
  const key = draw_by ?? 'a described payment'
  const customer = (operands['customer.id'] as string | undefined) ?? null
  return {
    operands: withDefaultOperands(operands, tx.now),
    keys: { payment: key, customer, card: draw_by ?? null },
  }
}

function refusePayment(): never {
  const errors = [
    { pointer: '/payment_id', code: 'not_found', detail: 'is not the id of an existing payment' } as const,
  ]
  return refuse('reference_not_found', { errors })
}

async function listWithHolds(tx: Tx, held: readonly string[]): Promise<readonly Candidate[]> {
  const accounts = await listCandidates(tx)
  return accounts.map(({ id, cardData, capabilities, costs, hold }) => ({
    id,
    cardData,
    capabilities,
    costs,
    isOnHold: held.includes(id) || (hold !== null && hold.untilAt > tx.now),
  }))
}
