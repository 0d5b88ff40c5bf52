/** Changes the name of an account, its place, its address or how the simulator behaves. */
import type { ProviderAccount, UpdateProviderAccount } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { TextField } from '../../../ui/fields.tsx'

export function EditProvider({ account, close }: { account: ProviderAccount; close: () => void }) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
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
      submit="Save"
      refused={may('provider_accounts.update')}
      call={{
        method: 'PUT',
        path: `/provider-accounts/${account.id}`,
        body,
        sdk: { method: 'providerAccounts.update', args: [account.id, body] },
      }}
      run={async (key) => {
        await api.providerAccounts.update(account.id, body, key)
        await reread('provider_account')
      }}
      done="The account is saved."
      onDone={close}
      onCancel={close}
    >
      <TextField label="Name" value={name} onChange={setName} pointer="/display_name" />
      <TextField
        label="Place in the order"
        type="number"
        value={position}
        onChange={setPosition}
        hint="Without a route, accounts are asked in this order, the lowest first."
        pointer="/position"
      />
      {isCustom ? (
        <TextField
          label="Address"
          type="url"
          value={url}
          onChange={setUrl}
          hint="With another one it has to be checked anew."
          pointer="/config/base_url"
        />
      ) : (
        <SimulatorFields {...{ rate, setRate, latency, setLatency }} />
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
        label="Share of good cards it approves"
        value={props.rate}
        onChange={props.setRate}
        hint="From 0 to 1. Empty: as it is."
        pointer="/config/auth_rate"
      />
      <TextField
        label="Milliseconds it takes to answer"
        type="number"
        value={props.latency}
        onChange={props.setLatency}
        hint="Empty: as it is."
        pointer="/config/latency_ms"
      />
    </div>
  )
}
