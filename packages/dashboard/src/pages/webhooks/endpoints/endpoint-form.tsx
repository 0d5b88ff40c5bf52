/** Creates or updates an endpoint. */
import type { CreateWebhookEndpoint, UpdateWebhookEndpoint, WebhookEndpoint } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import type { ApiCall } from '../../../format/call.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { useOpenPage } from '../../../ui/link.tsx'
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
  const disabledReasonFor = useDisabledReason()
  const openPage = useOpenPage()
  const invalidate = useInvalidate()
  const [fields, setFields] = useState(() => fieldsOf(null))
  const body = bodyOf(fields)
  return (
    <ActionDialog
      title="Add webhook endpoint"
      intro="Events of the selected types are sent to this URL, signed with the endpoint’s own secret."
      submit="Add endpoint"
      disabledReason={disabledReasonFor('webhook_endpoints.create')}
      call={{
        method: 'POST',
        path: '/webhook-endpoints',
        body,
        sdk: { method: 'webhookEndpoints.create', args: [body] },
      }}
      run={async (key) => {
        const { id } = await api.webhookEndpoints.create(body, key)
        await invalidate('webhook_endpoint')
        openPage(`/webhook-endpoints/${id}`)
      }}
      onDone={onClose}
    >
      <EndpointFields fields={fields} setFields={setFields} />
    </ActionDialog>
  )
}

export function EditEndpoint({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
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
      title="Edit endpoint"
      submit="Save endpoint"
      disabledReason={disabledReasonFor('webhook_endpoints.update')}
      successMessage="Endpoint saved"
      call={call}
      run={async (key) => {
        await api.webhookEndpoints.update(endpoint.id, body, key)
        await invalidate('webhook_endpoint')
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
        hint="An https URL that is reachable from the internet."
        placeholder="https://shop.example/hooks"
        value={fields.url}
        onChange={set('url')}
        autoFocus
      />
      <TextField
        label="Name"
        pointer="/name"
        hint="Optional label"
        value={fields.name}
        onChange={set('name')}
      />
      <TypesField selected={fields.types} onChange={(types) => setFields({ ...fields, types })} />
      <SelectField
        label="Ordering"
        pointer="/ordering"
        value={fields.ordering}
        onChange={set('ordering')}
        options={[
          { value: 'none', text: 'As fast as possible; the receiver sorts by sequence' },
          { value: 'object', text: 'In order for each object, one at a time' },
        ]}
      />
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField
          label="Timeout (s)"
          type="number"
          pointer="/timeout_seconds"
          value={fields.timeout}
          onChange={set('timeout')}
        />
        <TextField
          label="Max concurrency"
          type="number"
          pointer="/max_in_flight"
          value={fields.inFlight}
          onChange={set('inFlight')}
        />
        <TextField
          label="Max per second"
          type="number"
          pointer="/rate_limit"
          hint="Leave empty for no limit."
          value={fields.rate}
          onChange={set('rate')}
        />
      </div>
    </>
  )
}
