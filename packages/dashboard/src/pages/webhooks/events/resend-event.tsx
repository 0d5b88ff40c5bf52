/** Resends an event to all subscribed endpoints, or to selected ones. */
import type { Event } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { CheckField } from '../../../ui/fields.tsx'
import { Loaded } from '../../../ui/states.tsx'

export function ResendEvent({ event, onClose }: { event: Event; onClose: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const [selectedIds, setSelectedIds] = useState<readonly string[]>([])
  const endpoints = useObject(['webhook_endpoint', 'all'], (client) =>
    client.webhookEndpoints.list({ limit: 100 }).page(),
  )
  const body = selectedIds.length === 0 ? {} : { webhook_endpoint_ids: [...selectedIds] }
  const toggle = (id: string) =>
    setSelectedIds(selectedIds.includes(id) ? selectedIds.filter((one) => one !== id) : [...selectedIds, id])
  return (
    <ActionDialog
      title="Resend event"
      intro="The event keeps its ID, so a receiver that has already processed it can ignore it."
      submit="Resend event"
      disabledReason={disabledReasonFor('events.resend')}
      successMessage="Event resent"
      call={{
        method: 'POST',
        path: `/events/${event.id}/resend`,
        body,
        sdk: { method: 'events.resend', args: [event.id, body] },
      }}
      run={async (key) => {
        await api.events.resend(event.id, body, key)
        await invalidate('delivery', 'event')
      }}
      onDone={onClose}
    >
      <fieldset className="grid gap-2">
        <legend className="mb-1 font-bold">Endpoints</legend>
        <CheckField
          label="All endpoints subscribed to this event type, and all that received this event"
          checked={selectedIds.length === 0}
          onChange={() => setSelectedIds([])}
        />
        <Loaded query={endpoints}>
          {({ data }) => (
            <>
              {data.map(({ id, url }) => (
                <CheckField
                  key={id}
                  label={<span className="break-all">{url}</span>}
                  checked={selectedIds.includes(id)}
                  onChange={() => toggle(id)}
                />
              ))}
            </>
          )}
        </Loaded>
      </fieldset>
    </ActionDialog>
  )
}
