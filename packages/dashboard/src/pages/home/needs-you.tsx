/** What needs a person, the worst first. */
import type { Concern } from '@switchyard/sdk'
import { useObject } from '../../api/queries.ts'
import { pageOf } from '../../shell/navigation.ts'
import { PageLink } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Chip } from '../../ui/status.tsx'
import { Time } from '../../ui/values.tsx'

/** A spike should be here within a minute. */
const rereadMs = 10_000

export function NeedsYou() {
  const attention = useObject(['attention', 'list'], (api, signal) => api.attention.list({ signal }).page(), {
    refetchInterval: rereadMs,
  })
  return (
    <Panel title="Needs you" flush>
      <Loaded of={attention} rows={2}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="p-4 text-ink2">Nothing needs you now.</p>
          ) : (
            <ul aria-label="Needs you">
              {data.map((concern) => (
                <Row key={`${concern.kind} ${concern.object_id}`} concern={concern} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  )
}

function Row({ concern }: { concern: Concern }) {
  const { severity, title, detail, since } = concern
  const isBad = severity === 'critical'
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-1 border-b border-line px-4 py-2.5 last:border-0">
      <span className="w-24 pt-0.5">
        <Chip
          mark={isBad ? 'triangle' : 'dashed'}
          tone={isBad ? 'danger' : 'caution'}
          text={isBad ? 'Critical' : 'Warning'}
        />
      </span>
      <div className="min-w-0 flex-1 basis-80">
        <PageLink {...placeOf(concern)} className="font-bold text-lock underline underline-offset-2">
          {title}
        </PageLink>
        <p className="text-ink2">{detail}</p>
      </div>
      {since !== null && (
        <span className="text-compact text-ink2">
          since <Time at={since} />
        </span>
      )}
    </li>
  )
}

type Place = { readonly to: string; readonly search?: { readonly [name: string]: string } }

/** Of several things the list that holds them, where there is one. */
function placeOf({ kind, count, object_id }: Concern): Place {
  const list = count < 2 ? undefined : lists[kind]
  return list ?? { to: pageOf(object_id) ?? '' }
}

const lists: { readonly [K in Concern['kind']]?: Place } = {
  payments_in_review: { to: '/payments', search: { review: 'needs_review' } },
  refunds_in_review: { to: '/refunds' },
  dunning_ending: { to: '/dunning' },
  subscriptions_parked: { to: '/subscriptions' },
}
