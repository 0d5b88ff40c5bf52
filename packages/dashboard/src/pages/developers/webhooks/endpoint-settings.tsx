/** What an endpoint asks for and bears, and the ages of its secrets. Their texts are behind Show Secret alone. */
import type { WebhookEndpoint } from '@switchyard/sdk'
import { useLatest } from '../../../api/latest.ts'
import { useIsAllowed, useMay } from '../../../api/workspace.tsx'
import { dateTimeText, relativeText } from '../../../format/time.ts'
import { Facts } from '../../../ui/panel.tsx'
import { ErrorPanel } from '../../../ui/states.tsx'
import { Time } from '../../../ui/values.tsx'
import { useNames } from '../../settings/people/names.ts'

export function EndpointSettings({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { event_types, ordering, max_in_flight, rate_limit, timeout_seconds, secrets, created_at } = endpoint
  return (
    <div className="max-w-150 p-4">
      <Facts
        of={[
          ['Events', event_types.includes('*') ? 'All' : event_types.join(', ')],
          ['Order', ordering === 'object' ? 'Kept for each object' : 'As fast as possible'],
          ['Answer within', `${timeout_seconds} s`],
          ['At once, at most', String(max_in_flight)],
          ['Per second, at most', rate_limit === null ? 'No limit' : String(rate_limit)],
          ['Added', <Time key="added" at={created_at} />],
          ...secrets.map(({ id, created_at: since, expires_at }, place) => {
            const name = place === 0 ? 'Secret' : 'Earlier secret'
            const until = expires_at === null ? '' : `, signs until ${dateTimeText(expires_at)}`
            return [
              `${name}${place > 1 ? ` ${place}` : ''}`,
              <span key={id}>{`made ${relativeText(since)}${until}`}</span>,
            ] as const
          }),
          ['Last shown', <LastShown key="shown" endpointId={endpoint.id} />],
        ]}
      />
    </div>
  )
}

const mostActs = 100

/** From the audit log, which only admins may read. */
function LastShown({ endpointId }: { endpointId: string }) {
  const refused = useMay()('audit_entries.list', 'Only admins can read the audit log')
  const isAllowed = useIsAllowed()('audit_entries.list')
  const entries = useLatest(
    ['audit_entry', 'of object', endpointId],
    (api, page) => api.auditEntries.list({ ...page, object_id: endpointId }),
    { max: mostActs, enabled: isAllowed },
  )
  const nameOf = useNames()
  if (refused !== null) return <span className="text-ink3">{refused}</span>
  const { data: acts, error, refetch } = entries
  // Before they are read nobody knows whether it was shown.
  if (acts === undefined)
    return error === null ? (
      <span className="text-ink3">Loading</span>
    ) : (
      <ErrorPanel error={error} retry={() => void refetch()} />
    )
  const shown = acts.find(({ act }) => act === 'webhook_endpoint.secret_revealed')
  if (shown === undefined)
    return (
      <span className="text-ink3">
        {acts.length < mostActs ? 'Never' : `Not in its latest ${mostActs} acts`}
      </span>
    )
  return (
    <span>
      {relativeText(shown.created_at)} by{' '}
      {shown.person_id === null ? `a token of the role ${shown.authority}` : nameOf(shown.person_id)}
    </span>
  )
}
