/** Edits the name, position, base URL, and simulator or connector settings of an account. */
import type { ProviderAccount, UpdateProviderAccount } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { type FieldValues, SettingFields } from './connector-fields.tsx'
import { isConnector } from './provider-name.tsx'
import { useProvider } from './providers.ts'

export function EditProvider({ account, close }: { account: ProviderAccount; close: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const [name, setName] = useState(account.display_name)
  const [position, setPosition] = useState(String(account.position))
  const [url, setUrl] = useState(account.config.base_url ?? '')
  const [rate, setRate] = useState(String(account.config.auth_rate ?? ''))
  const [latency, setLatency] = useState(String(account.config.latency_ms ?? ''))
  const [settings, setSettings] = useState<FieldValues>(account.config.settings ?? {})
  const config = configOf(account, { url, rate, latency, settings })
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
      {account.provider === 'custom' && (
        <TextField
          label="Base URL"
          type="url"
          value={url}
          onChange={setUrl}
          hint="Changing the URL requires a new check."
          pointer="/config/base_url"
        />
      )}
      {isConnector(account) && (
        <ConnectorSettings account={account} values={settings} onChange={setSettings} />
      )}
      {isSimulated(account) && (
        <SimulatorFields rate={rate} setRate={setRate} latency={latency} setLatency={setLatency} />
      )}
    </ActionDialog>
  )
}

function isSimulated({ provider, config }: ProviderAccount): boolean {
  return provider === 'simulator' || config.emulated === true
}

type Entered = {
  readonly url: string
  readonly rate: string
  readonly latency: string
  readonly settings: FieldValues
}

function configOf(account: ProviderAccount, { url, rate, latency, settings }: Entered) {
  const behaviour = {
    ...(rate === '' ? {} : { auth_rate: Number(rate) }),
    ...(latency === '' ? {} : { latency_ms: Number(latency) }),
  }
  return {
    ...(account.provider === 'custom' ? { base_url: url } : {}),
    ...(isConnector(account) ? { settings: withNulls(settings) } : {}),
    ...(isSimulated(account) ? behaviour : {}),
  }
}

function ConnectorSettings(props: {
  account: ProviderAccount
  values: FieldValues
  onChange: (values: FieldValues) => void
}) {
  const provider = useProvider(props.account.provider)
  if (provider === undefined) return null
  return <SettingFields provider={provider} values={props.values} onChange={props.onChange} />
}

/** Null removes a setting. */
function withNulls(settings: FieldValues): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, value === '' ? null : value]),
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
