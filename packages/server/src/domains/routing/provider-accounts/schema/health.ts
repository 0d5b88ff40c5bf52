/** API schemas of health: breakers, figures of the last hour, and a series for charts. */
import { type Static, Type } from 'typebox'
import type { Id } from '../../../../kernel/id.ts'
import { IdOf, nullable, OneOf, Time } from '../../../../kernel/shapes.ts'
import { phases } from '../breaker.ts'
import { type Counts, type Lane, lanes, medianMs } from '../health.ts'
import type { Health } from '../provider-account.ts'

const countOf = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] })

const figures = {
  attempts: countOf(
    'All calls, including those that could not be sent. Calls that are in none of the other counts are not final yet.',
    120,
  ),
  approved: countOf('Approved calls.', 103),
  declined: countOf('Calls declined by the issuer or because of the payment itself.', 14),
  technical: countOf('Calls that failed at the provider or did not reach it.', 2),
  unknown: countOf('Calls that ended with an unknown outcome.', 1),
  p50_ms: nullable(
    Type.Integer({
      minimum: 0,
      description:
        'Median response time in milliseconds, accurate to about 20%. Null if nothing was measured.',
      examples: [412],
    }),
  ),
}

const breaker = OneOf(phases, {
  description:
    'State of the circuit breaker. `closed`: healthy. `open`: half of the latest calls failed, so other accounts are tried first. `probing`: the account is being tested, and the breaker closes after three successes in a row.',
  examples: ['closed'],
})

const healthMembers = {
  breaker: Type.Object(
    { authorize: breaker, rest: breaker },
    { description: 'Circuit breakers: one for authorizations, one for captures, voids and refunds.' },
  ),
  next_probe_at: nullable(
    Type.String({ ...Time, description: 'Time of the next health probe. Null if all breakers are closed.' }),
  ),
  credentials_refused_since: nullable(
    Type.String({
      ...Time,
      description: 'Time the provider began to respond with 401 or 403. Null if it accepts the credentials.',
    }),
  ),
  last_hour: Type.Object(figures, {
    description: 'Authorizations of the last hour, with a delay of a few seconds.',
  }),
}

export const HealthMembers = Type.Object(healthMembers, {
  description:
    'Health of the account. An account with an open breaker is tried last, but it is never excluded.',
})

export const HealthQuery = Type.Object(
  {
    from: Type.Optional(
      Type.String({ ...Time, description: 'Start of the period. Default: one day before `to`.' }),
    ),
    to: Type.Optional(
      Type.String({ ...Time, description: 'End of the period, at most 90 days after `from`. Default: now.' }),
    ),
    lane: Type.Optional(
      OneOf(lanes, {
        default: 'authorize',
        description: '`authorize`: authorizations and verifications. `rest`: captures, voids and refunds.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type HealthQuery = Static<typeof HealthQuery>

export const HealthSeriesObject = Type.Object(
  {
    object: Type.Literal('provider_account_health'),
    provider_account_id: IdOf('provider_account'),
    lane: OneOf(lanes, {
      description:
        'Calls that are counted. `authorize`: authorizations and verifications. `rest`: captures, voids and refunds.',
    }),
    from: { ...Time, description: 'Start of the time series.' },
    to: { ...Time, description: 'End of the time series.' },
    step_seconds: Type.Integer({
      description: 'Length of a step in seconds: at least 60, and longer for long periods.',
      examples: [300],
    }),
    ...healthMembers,
    data: Type.Array(Type.Object({ at: { ...Time, description: 'Start of the step.' }, ...figures }), {
      description: 'Steps by start time, oldest first. Steps without calls are omitted.',
    }),
  },
  {
    $id: 'ProviderAccountHealth',
    description: 'Call results of a provider account over a period.',
  },
)

export function presentHealth({
  breakers,
  credentialsRefusedSince,
  lastHour,
}: Health): Static<typeof HealthMembers> {
  const { authorize, rest } = breakers
  const probes = [authorize, rest].flatMap(({ nextProbeAt }) => nextProbeAt ?? [])
  const [next] = probes.toSorted((a, b) => a.getTime() - b.getTime())
  return {
    breaker: { authorize: authorize.phase, rest: rest.phase },
    next_probe_at: next?.toISOString() ?? null,
    credentials_refused_since: credentialsRefusedSince?.toISOString() ?? null,
    last_hour: presentCounts(lastHour),
  }
}

function presentCounts({ attempts, approved, declined, technical, unknown, latency }: Counts) {
  return { attempts, approved, declined, technical, unknown, p50_ms: medianMs(latency) }
}

type Series = {
  readonly accountId: Id<'provider_account'>
  readonly lane: Lane
  readonly from: Date
  readonly to: Date
  readonly stepSeconds: number
  readonly health: Health
  readonly points: readonly (Counts & { readonly at: Date })[]
}

export function presentSeries(series: Series): Static<typeof HealthSeriesObject> {
  return {
    object: 'provider_account_health',
    provider_account_id: series.accountId,
    lane: series.lane,
    from: series.from.toISOString(),
    to: series.to.toISOString(),
    step_seconds: series.stepSeconds,
    ...presentHealth(series.health),
    data: series.points.map(({ at, ...counts }) => ({ at: at.toISOString(), ...presentCounts(counts) })),
  }
}
