// Actions of the merchant and of health monitoring: publish a route variant, open or close a circuit breaker.

import type { Harness, TestWorkspace } from './harness.ts'
import { type RouteVariant, routeVariantDefinitions } from './route-variants.ts'
import type { PaymentRun } from './scenario-run.ts'

/** Publishes the variant through the API. Returns its revision. */
export async function publishVariant(
  harness: Harness,
  workspace: TestWorkspace,
  variant: RouteVariant,
): Promise<number> {
  const { statusCode, body } = await harness.app.inject({
    method: 'PUT',
    url: `/payment-routes/${workspace.routeId}`,
    headers: { authorization: `Bearer ${workspace.token}` },
    payload: routeVariantDefinitions[variant].definition(workspace.accounts),
  })
  if (statusCode !== 200) throw new Error(`The route variant was not published: ${body}`)
  workspace.variant = variant
  return JSON.parse(body).revision
}

/**
 * Publishes the variant and records it. Later payments use the new revision; concurrent ones may use either.
 */
export async function publishDuringRun(run: PaymentRun, variant: RouteVariant): Promise<string> {
  const { harness, workspace, routingStates } = run
  const revision = await publishVariant(harness, workspace, variant)
  workspace.revision = revision
  routingStates.push({ variant, revision, open: new Set(harness.failing) })
  return `revision ${revision}`
}

export function setBreaker(run: PaymentRun, index: number, isOpen: boolean): string {
  const { harness, workspace, routingStates } = run
  const account = workspace.accounts[index] as string
  if (isOpen) harness.failing.add(account)
  else harness.failing.delete(account)
  const { variant, revision } = workspace
  routingStates.push({ variant, revision, open: new Set(harness.failing) })
  return 'done'
}
