/** Making an endpoint, or changing one: the same fields and the same call as code. */
import type { CreateWebhookEndpoint, UpdateWebhookEndpoint, WebhookEndpoint } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import type { ApiCall } from '../../../format/call.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { useGo } from '../../../ui/link.tsx'
import { TypesField } from './types-field.tsx'

type Fields = {
  readonly url: string
  readonly name: string
  readonly types: readonly string[]
  readonly ordering: string
  readonly timeout: string
  readonly inFlight: string
  readonly rate: string
}

const fieldsOf = (endpoint: WebhookEndpoint | null): Fields => ({
  url: endpoint?.url ?? '',
  name: endpoint?.name ?? '',
  types: endpoint?.event_types ?? ['*'],
  ordering: endpoint?.ordering ?? 'none',
  timeout: String(endpoint?.timeout_seconds ?? 15),
  inFlight: String(endpoint?.max_in_flight ?? 10),
  rate: endpoint?.rate_limit == null ? '' : String(endpoint.rate_limit),
})

const bodyOf = ({ url, name, types, ordering, timeout, inFlight, rate }: Fields) =>
  ({
    url,
    event_types: types,
    name: name === '' ? null : name,
    ordering,
    timeout_seconds: Number(timeout),
    max_in_flight: Number(inFlight),
    rate_limit: rate === '' ? null : Number(rate),
  }) as CreateWebhookEndpoint

export function CreateEndpoint({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const may = useMay()
  const go = useGo()
  const reread = useReread()
  const [fields, setFields] = useState(() => fieldsOf(null))
  const body = bodyOf(fields)
  return (
    <ActionDialog
      title="Add a webhook endpoint"
      intro="Events of the types it asks for are sent there from now on, signed with a secret of its own."
      submit="Add the endpoint"
      refused={may('webhook_endpoints.create')}
      call={{
        method: 'POST',
        path: '/webhook-endpoints',
        body,
        sdk: { method: 'webhookEndpoints.create', args: [body] },
      }}
      run={async (key) => {
        const { id } = await api.webhookEndpoints.create(body, key)
        await reread('webhook_endpoint')
        go(`/webhook-endpoints/${id}`)
      }}
      onDone={onClose}
    >
      <EndpointFields fields={fields} setFields={setFields} />
    </ActionDialog>
  )
}

export function EditEndpoint({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose: () => void }) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const [fields, setFields] = useState(() => fieldsOf(endpoint))
  const body: UpdateWebhookEndpoint = bodyOf(fields)
  const call: ApiCall = {
    method: 'PUT',
    path: `/webhook-endpoints/${endpoint.id}`,
    body,
    sdk: { method: 'webhookEndpoints.update', args: [endpoint.id, body] },
  }
  return (
    <ActionDialog
      title="Edit the endpoint"
      submit="Save"
      refused={may('webhook_endpoints.update')}
      done="The endpoint is changed."
      call={call}
      run={async (key) => {
        await api.webhookEndpoints.update(endpoint.id, body, key)
        await reread('webhook_endpoint')
      }}
      onDone={onClose}
    >
      <EndpointFields fields={fields} setFields={setFields} />
    </ActionDialog>
  )
}

function EndpointFields({ fields, setFields }: { fields: Fields; setFields: (fields: Fields) => void }) {
  const set = (name: keyof Fields) => (value: string) => setFields({ ...fields, [name]: value })
  return (
    <>
      <TextField
        label="URL"
        type="url"
        pointer="/url"
        hint="https, reachable from the internet."
        placeholder="https://shop.example/hooks"
        value={fields.url}
        onChange={set('url')}
        autoFocus
      />
      <TextField
        label="Name"
        pointer="/name"
        hint="For people. May stay empty."
        value={fields.name}
        onChange={set('name')}
      />
      <TypesField chosen={fields.types} onChange={(types) => setFields({ ...fields, types })} />
      <SelectField
        label="Order"
        pointer="/ordering"
        value={fields.ordering}
        onChange={set('ordering')}
        options={[
          { value: 'none', text: 'As fast as possible; the receiver orders by sequence' },
          { value: 'object', text: 'Events of one object in order, one after the other' },
        ]}
      />
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField
          label="Answer within, s"
          type="number"
          pointer="/timeout_seconds"
          value={fields.timeout}
          onChange={set('timeout')}
        />
        <TextField
          label="At once, at most"
          type="number"
          pointer="/max_in_flight"
          value={fields.inFlight}
          onChange={set('inFlight')}
        />
        <TextField
          label="Per second, at most"
          type="number"
          pointer="/rate_limit"
          hint="Empty: no limit."
          value={fields.rate}
          onChange={set('rate')}
        />
      </div>
    </>
  )
}
