/** The health of an account over a period, as a time series for charts. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { refuseMember } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import { currentTime } from '../../../../platform/db/current-time.ts'
import { read } from '../../../../platform/db/unit-of-work.ts'
import { type Lane, stepSecondsFor } from '../health.ts'
import type { Health } from '../provider-account.ts'
import type { HealthQuery } from '../schema/health.ts'
import { type Point, sumSteps } from '../store/health.ts'
import * as store from '../store.ts'
import { healthOf } from './account-details.ts'

export type HealthSeries = {
  readonly accountId: Id<'provider_account'>
  readonly lane: Lane
  readonly from: Date
  readonly to: Date
  readonly stepSeconds: number
  readonly health: Health
  readonly points: readonly Point[]
}

const daySeconds = 86_400
/** The retention of figures. */
const maxDays = 90

export function getHealthSeries(
  deps: Deps,
  caller: Caller,
  id: string,
  query: HealthQuery,
): Promise<HealthSeries> {
  return read(deps, caller, async (view) => {
    const { id: accountId } = await store.requireAccount(view, id)
    const now = await currentTime(view, deps.clock.read())
    const to = query.to === undefined ? now : new Date(query.to)
    const from = query.from === undefined ? addSeconds(to, -daySeconds) : new Date(query.from)
    if (from >= to) refuseMember('/to', 'too_small', 'must be after from')
    if (addSeconds(from, maxDays * daySeconds) < to)
      refuseMember('/from', 'too_small', `must be at most ${maxDays} days before to`)
    const { lane = 'authorize' } = query
    const stepSeconds = stepSecondsFor(from, to)
    const [points, health] = await Promise.all([
      sumSteps(view, { accountId, lane, from, to }, stepSeconds),
      healthOf(deps, view, [accountId]),
    ])
    return { accountId, lane, from, to, stepSeconds, health: health(accountId), points }
  })
}
