/** Sends an event again: to whoever asks for it, or to endpoints that are named. */
import type { Event } from '@switchyard/sdk'
import { useState } from 'react'
import { useObject, useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { CheckField } from '../../../ui/fields.tsx'
import { Loaded } from '../../../ui/states.tsx'

export function ResendEvent({ event, onClose }: { event: Event; onClose: () => void }) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const [named, setNamed] = useState<readonly string[]>([])
  const endpoints = useObject(['webhook_endpoint', 'all'], (client) =>
    client.webhookEndpoints.list({ limit: 100 }).page(),
  )
  const body = named.length === 0 ? {} : { webhook_endpoint_ids: [...named] }
  const toggle = (id: string) =>
    setNamed(named.includes(id) ? named.filter((one) => one !== id) : [...named, id])
  return (
    <ActionDialog
      title="Resend this event"
      intro="It keeps its id: a receiver that knows it does nothing twice."
      submit="Resend"
      refused={may('events.resend')}
      done="The event is on its way."
      call={{
        method: 'POST',
        path: `/events/${event.id}/resend`,
        body,
        sdk: { method: 'events.resend', args: [event.id, body] },
      }}
      run={async (key) => {
        await api.events.resend(event.id, body, key)
        await reread('delivery', 'event')
      }}
      onDone={onClose}
    >
      <fieldset className="grid gap-2">
        <legend className="mb-1 font-bold">To</legend>
        <CheckField
          label="Whoever asks for this type now, and whoever had it"
          checked={named.length === 0}
          onChange={() => setNamed([])}
        />
        <Loaded of={endpoints}>
          {({ data }) => (
            <>
              {data.map(({ id, url }) => (
                <CheckField
                  key={id}
                  label={<span className="break-all">{url}</span>}
                  checked={named.includes(id)}
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
