/** The settings of an endpoint and the age of its secrets. Only Show Secret reveals the secrets. */
import type { WebhookEndpoint } from '@switchyard/sdk'
import { useLatest } from '../../../api/latest.ts'
import { useDisabledReason, useIsAllowed } from '../../../api/workspace.tsx'
import { dateTimeText, relativeText } from '../../../format/time.ts'
import { Facts } from '../../../ui/panel.tsx'
import { ErrorPanel } from '../../../ui/states.tsx'
import { Time } from '../../../ui/values.tsx'
import { usePersonName } from '../../access/people/person-name.ts'

export function EndpointSettings({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { event_types, ordering, max_in_flight, rate_limit, timeout_seconds, secrets, created_at } = endpoint
  return (
    <div className="max-w-150 p-4">
      <Facts
        facts={[
          ['Events', event_types.includes('*') ? 'All' : event_types.join(', ')],
          ['Ordering', ordering === 'object' ? 'In order for each object' : 'As fast as possible'],
          ['Timeout', `${timeout_seconds} s`],
          ['Max concurrency', String(max_in_flight)],
          ['Max per second', rate_limit === null ? 'No limit' : String(rate_limit)],
          ['Added', <Time key="added" at={created_at} />],
          ...secrets.map(({ id, created_at: since, expires_at }, index) => {
            const name = index === 0 ? 'Secret' : 'Earlier secret'
            const until = expires_at === null ? '' : `, valid until ${dateTimeText(expires_at)}`
            return [
              `${name}${index > 1 ? ` ${index}` : ''}`,
              <span key={id}>{`created ${relativeText(since)}${until}`}</span>,
            ] as const
          }),
          ['Last revealed', <LastRevealed key="shown" endpointId={endpoint.id} />],
        ]}
      />
    </div>
  )
}

const maxEntries = 100

/** From the audit log, which only admins may read. */
function LastRevealed({ endpointId }: { endpointId: string }) {
  const disabledReason = useDisabledReason()('audit_entries.list', 'Only admins can read the audit log')
  const isAllowed = useIsAllowed()('audit_entries.list')
  const entries = useLatest(
    ['audit_entry', 'of object', endpointId],
    (api, page) => api.auditEntries.list({ ...page, object_id: endpointId }),
    { max: maxEntries, enabled: isAllowed },
  )
  const nameOf = usePersonName()
  if (disabledReason !== null) return <span className="text-ink3">{disabledReason}</span>
  const { data: auditEntries, error, refetch } = entries
  // Unknown until the audit entries are loaded.
  if (auditEntries === undefined)
    return error === null ? (
      <span className="text-ink3">Loading</span>
    ) : (
      <ErrorPanel error={error} retry={() => void refetch()} />
    )
  const revealed = auditEntries.find(({ act }) => act === 'webhook_endpoint.secret_revealed')
  if (revealed === undefined)
    return (
      <span className="text-ink3">
        {auditEntries.length < maxEntries ? 'Never' : `Not in the latest ${maxEntries} audit entries`}
      </span>
    )
  return (
    <span>
      {relativeText(revealed.created_at)} by{' '}
      {revealed.person_id === null
        ? `a token with the role ${revealed.authority}`
        : nameOf(revealed.person_id)}
    </span>
  )
}
