/** What needs attention, the most severe first. */
import type { Concern } from '@switchyard/sdk'
import { useObject } from '../../api/queries.ts'
import { objectPath } from '../../shell/navigation.ts'
import { PageLink } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Chip } from '../../ui/status.tsx'
import { Time } from '../../ui/values.tsx'

/** Short, so that a spike of failures is shown within a minute. */
const refetchMs = 10_000

export function NeedsAttention() {
  const attention = useObject(['attention', 'list'], (api, signal) => api.attention.list({ signal }).page(), {
    refetchInterval: refetchMs,
  })
  return (
    <Panel title="Needs attention" flush>
      <Loaded query={attention} rows={2}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="p-4 text-ink2">You're all caught up.</p>
          ) : (
            <ul aria-label="Needs attention">
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
  const isCritical = severity === 'critical'
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-1 border-b border-line px-4 py-2.5 last:border-0">
      <span className="w-24 pt-0.5">
        <Chip
          mark={isCritical ? 'triangle' : 'dashed'}
          tone={isCritical ? 'danger' : 'warning'}
          text={isCritical ? 'Critical' : 'Warning'}
        />
      </span>
      <div className="min-w-0 flex-1 basis-80">
        <PageLink {...linkTargetOf(concern)} className="font-bold text-info underline underline-offset-2">
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

type LinkTarget = { readonly to: string; readonly search?: { readonly [name: string]: string } }

/** The page of the object, or the list if there are several. */
function linkTargetOf({ kind, count, object_id }: Concern): LinkTarget {
  const list = count < 2 ? undefined : lists[kind]
  return list ?? { to: objectPath(object_id) ?? lists[kind]?.to ?? '' }
}

const lists: { readonly [K in Concern['kind']]?: LinkTarget } = {
  payments_in_review: { to: '/payments', search: { review: 'needs_review' } },
  refunds_in_review: { to: '/refunds' },
  disputes_due: { to: '/disputes', search: { status: 'needs_response' } },
  disputes_overdue: { to: '/disputes', search: { overdue: 'true' } },
  dunning_ending: { to: '/dunning' },
  cancellation_requests_open: { to: '/cancellation-requests' },
  customers_unreachable: { to: '/mails', search: { status: 'bounced' } },
  export_destinations_failing: { to: '/exports' },
  settlement_differences: { to: '/reconciliation' },
  invoice_taxes_failed: { to: '/invoices', search: { status: 'draft' } },
  tax_documents_unrecorded: { to: '/tax' },
  invoices_blocked: { to: '/invoices', search: { status: 'draft' } },
  subscriptions_parked: { to: '/subscriptions' },
}
