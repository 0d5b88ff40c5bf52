// Whoever runs the shop: publishes another plan in the middle of a story, or has an account asked last.

import { type PlanName, plans } from './plans.ts'
import type { Playing } from './playing.ts'
import type { Ground, Stage } from './stage.ts'

/** Publishes the plan by the API, as a merchant does. Tells its revision. */
export async function publishPlan(stage: Stage, ground: Ground, plan: PlanName): Promise<number> {
  const { statusCode, body } = await stage.app.inject({
    method: 'PUT',
    url: `/payment-routes/${ground.routeId}`,
    headers: { authorization: `Bearer ${ground.token}` },
    payload: plans[plan].definition(ground.accounts),
  })
  if (statusCode !== 200) throw new Error(`A plan was not published: ${body}`)
  ground.plan = plan
  return JSON.parse(body).revision
}

/** From now on payments may be made by it; those of the same moment by either. */
export async function publishInStory(playing: Playing, plan: PlanName): Promise<string> {
  const { stage, ground, situations } = playing
  const revision = await publishPlan(stage, ground, plan)
  ground.revision = revision
  situations.push({ plan, revision, open: new Set(stage.failing) })
  return `revision ${revision}`
}

export function turnBreaker(playing: Playing, place: number, isOpen: boolean): string {
  const { stage, ground, situations } = playing
  const account = ground.accounts[place] as string
  if (isOpen) stage.failing.add(account)
  else stage.failing.delete(account)
  const { plan, revision } = ground
  situations.push({ plan, revision, open: new Set(stage.failing) })
  return 'done'
}
