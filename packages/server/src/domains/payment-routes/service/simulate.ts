/** What would become of a payment. Nothing is written, and nobody is called. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { declineCodes } from '../../../providers/declines.ts'
import { listCandidates } from '../../provider-accounts/service.ts'
import type { Candidate } from '../capable.ts'
import { faultsOfPayment } from '../check.ts'
import type { Question } from '../choose.ts'
import { type CompiledRoute, compileRoute } from '../compile.ts'
import type { DrawKeys } from '../draw.ts'
import { completed, type Operands } from '../operands.ts'
import { pathOf } from '../path.ts'
import type { SimulatePaymentRoute } from '../schema/simulation.ts'
import type { Simulation } from '../simulation.ts'
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
    const question: Question = {
      ...{ operands, keys, tried: [], open: new Set(open) },
      instrument: { hasNumber: true, onlyAt: null },
      snapshot: (await listSnapshots(tx)).get(route.id ?? '') ?? null,
    }
    return { operands, path: pathOf(route, question, await candidates(tx, held), outcomes) }
  })
}

function requireOutcomes(outcomes: readonly string[]): void {
  const known: readonly string[] = ['approved', 'unknown', ...declineCodes]
  const at = outcomes.findIndex((outcome) => !known.includes(outcome))
  if (at === -1) return
  refuseMember(`/assume/outcomes/${at}`, 'not_in_list', 'must be approved, unknown or a decline code')
}

async function routeOf(tx: Tx, id: string, body: SimulatePaymentRoute): Promise<CompiledRoute> {
  const head = await requireRoute(tx, id)
  const { revision, definition } = body
  if (definition !== undefined) {
    if (revision !== undefined) refuseMember('/revision', 'not_together', 'does not go with definition')
    return compileRoute({ id: head.id, revision: null }, requireDefinition(definition, '/definition'))
  }
  const wanted = await requireRevision(tx, head, revision ?? head.revision ?? head.latestRevision)
  return compileRoute({ id: head.id, revision: wanted.number }, wanted.definition)
}

type Asked = { readonly operands: Operands; readonly keys: DrawKeys }

async function paymentOf(tx: Tx, { payment_id, operands, draw_by }: SimulatePaymentRoute): Promise<Asked> {
  if (payment_id !== undefined) {
    if (operands !== undefined) refuseMember('/operands', 'not_together', 'does not go with payment_id')
    return (await findPastPayment(tx, payment_id)) ?? refusePayment()
  }
  if (operands === undefined) return refuseMember('/operands', 'required', 'is required, or payment_id')
  const errors = faultsOfPayment(operands, '/operands')
  if (errors.length > 0) refuse('invalid_request', { errors })
  const key = draw_by ?? 'a described payment'
  const customer = (operands['customer.id'] as string | undefined) ?? null
  return { operands: completed(operands, tx.now), keys: { payment: key, customer, card: draw_by ?? null } }
}

function refusePayment(): never {
  const errors = [{ pointer: '/payment_id', code: 'not_found', detail: 'There is no such payment.' } as const]
  return refuse('reference_not_found', { errors })
}

async function candidates(tx: Tx, held: readonly string[]): Promise<readonly Candidate[]> {
  const accounts = await listCandidates(tx)
  return accounts.map(({ id, cardData, capabilities, hold }) => ({
    ...{ id, cardData, capabilities },
    isHeld: held.includes(id) || (hold !== null && hold.untilAt > tx.now),
  }))
}
