/** Edits the name, position, base URL or simulator settings of an account. */
import type { ProviderAccount, UpdateProviderAccount } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { TextField } from '../../../ui/fields.tsx'

export function EditProvider({ account, close }: { account: ProviderAccount; close: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const [name, setName] = useState(account.display_name)
  const [position, setPosition] = useState(String(account.position))
  const [url, setUrl] = useState(account.config.base_url ?? '')
  const [rate, setRate] = useState(String(account.config.auth_rate ?? ''))
  const [latency, setLatency] = useState(String(account.config.latency_ms ?? ''))
  const isCustom = account.provider === 'custom'
  const config = isCustom
    ? { base_url: url }
    : {
        ...(rate === '' ? {} : { auth_rate: Number(rate) }),
        ...(latency === '' ? {} : { latency_ms: Number(latency) }),
      }
  const body: UpdateProviderAccount = { display_name: name, position: Number(position), config }
  return (
    <ActionDialog
      title={`Edit ${account.display_name}`}
      submit="Save account"
      disabledReason={disabledReasonFor('provider_accounts.update')}
      call={{
        method: 'PUT',
        path: `/provider-accounts/${account.id}`,
        body,
        sdk: { method: 'providerAccounts.update', args: [account.id, body] },
      }}
      run={async (key) => {
        await api.providerAccounts.update(account.id, body, key)
        await invalidate('provider_account')
      }}
      successMessage="Account saved"
      onDone={close}
      onCancel={close}
    >
      <TextField label="Name" value={name} onChange={setName} pointer="/display_name" />
      <TextField
        label="Position"
        type="number"
        value={position}
        onChange={setPosition}
        hint="Without a route, accounts are tried in this order, lowest first."
        pointer="/position"
      />
      {isCustom ? (
        <TextField
          label="Base URL"
          type="url"
          value={url}
          onChange={setUrl}
          hint="Changing the URL requires a new check."
          pointer="/config/base_url"
        />
      ) : (
        <SimulatorFields rate={rate} setRate={setRate} latency={latency} setLatency={setLatency} />
      )}
    </ActionDialog>
  )
}

function SimulatorFields(props: {
  rate: string
  setRate: (value: string) => void
  latency: string
  setLatency: (value: string) => void
}) {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <TextField
        label="Approval rate for valid cards"
        value={props.rate}
        onChange={props.setRate}
        hint="From 0 to 1. Leave empty to keep the current value."
        pointer="/config/auth_rate"
      />
      <TextField
        label="Response time (ms)"
        type="number"
        value={props.latency}
        onChange={props.setLatency}
        hint="Leave empty to keep the current value."
        pointer="/config/latency_ms"
      />
    </div>
  )
}
