/** Health on the wire: breakers, figures of the last hour, and a series for charts. */
import { type Static, Type } from 'typebox'
import type { Id } from '../../../kernel/id.ts'
import { IdOf, nullable, OneOf, Time } from '../../../kernel/shapes.ts'
import { phases } from '../breaker.ts'
import { type Counts, type Lane, lanes, medianMs } from '../health.ts'
import type { Health } from '../provider-account.ts'

const figure = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] })

const figures = {
  attempts: figure('All that was sent, or could not be. Those in no other figure are not over yet.', 120),
  approved: figure('Approved.', 103),
  declined: figure('Declined, by the issuer or for a reason of the payment itself.', 14),
  technical: figure('Failed at the provider, or never reached it.', 2),
  unknown: figure('Ended without an answer that says what became of it.', 1),
  p50_ms: nullable(
    Type.Integer({
      minimum: 0,
      description: 'How long half of the answers took at most, to about a fifth. Null: nothing was measured.',
      examples: [412],
    }),
  ),
}

const breaker = OneOf(phases, {
  description:
    '`open`: half of the latest calls failed, so payments go elsewhere first. `probing`: it is tried out, and closes after three good results.',
  examples: ['closed'],
})

const healthMembers = {
  breaker: Type.Object(
    { authorize: breaker, rest: breaker },
    { description: 'One for authorizations, one for captures, voids and refunds.' },
  ),
  next_probe_at: nullable(
    Type.String({ ...Time, description: 'When it is asked next whether it is well. Null: all is closed.' }),
  ),
  last_hour: Type.Object(figures, { description: 'Authorizations of the last hour, some seconds behind.' }),
}

export const HealthMembers = Type.Object(healthMembers, {
  description:
    'How it fares. An account whose breaker is open stands at the end of the line, and never out of it.',
})

export const HealthQuery = Type.Object(
  {
    from: Type.Optional(Type.String({ ...Time, description: 'Without it, a day before `to`.' })),
    to: Type.Optional(
      Type.String({ ...Time, description: 'Without it, now. At most 90 days after `from`.' }),
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
      description: 'Which calls are counted: those that authorize and verify, or the rest.',
    }),
    from: Time,
    to: Time,
    step_seconds: Type.Integer({
      description: 'How long a step is: at least a minute, and as long as keeps the number of steps small.',
      examples: [300],
    }),
    ...healthMembers,
    data: Type.Array(Type.Object({ at: Time, ...figures }), {
      description: 'The oldest first, by the beginning of the step. Steps without a call are left out.',
    }),
  },
  {
    $id: 'ProviderAccountHealth',
    description: 'What became of the calls to a provider account over a time.',
  },
)

export function presentHealth({ breakers, lastHour }: Health): Static<typeof HealthMembers> {
  const { authorize, rest } = breakers
  const probes = [authorize, rest].flatMap(({ nextProbeAt }) => nextProbeAt ?? [])
  const [next] = probes.toSorted((a, b) => a.getTime() - b.getTime())
  return {
    breaker: { authorize: authorize.phase, rest: rest.phase },
    next_probe_at: next?.toISOString() ?? null,
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
