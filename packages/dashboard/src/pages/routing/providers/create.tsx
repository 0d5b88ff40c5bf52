/** Adds a provider: the simulator, or your own provider that implements the protocol, with a check. */
import type { CreateProviderAccount, ProviderAccount, RevealedProviderAccount } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../../api/queries.ts'
import { useApi, useDisabledReason, useWorkspace } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { RadioField, TextField } from '../../../ui/fields.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { AccountSecret } from './account-secret.tsx'
import { CheckForm, CheckResult } from './check.tsx'

type Kind = CreateProviderAccount['provider']

export function CreateProvider({ close }: { close: () => void }) {
  const [account, setAccount] = useState<RevealedProviderAccount | null>(null)
  const [isSecretStored, setSecretStored] = useState(false)
  if (account === null) return <CreateForm onCreated={setAccount} close={close} />
  if (account.secret !== null && !isSecretStored)
    return <AccountSecret secret={account.secret} close={() => setSecretStored(true)} />
  return <FirstCheck created={account} close={close} />
}

function CreateForm(props: { onCreated: (account: RevealedProviderAccount) => void; close: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const { workspace } = useWorkspace()
  const isLive = workspace.mode === 'live'
  const [kind, setKind] = useState<Kind>(isLive ? 'custom' : 'simulator')
  const [name, setName] = useState('')
  const [url, setUrl] = useState('')
  const body: CreateProviderAccount = {
    provider: kind,
    display_name: name,
    ...(kind === 'custom' ? { config: { base_url: url } } : {}),
  }
  return (
    <ActionDialog
      title="Add provider"
      submit="Add provider"
      disabledReason={disabledReasonFor('provider_accounts.create')}
      call={{
        method: 'POST',
        path: '/provider-accounts',
        body,
        sdk: { method: 'providerAccounts.create', args: [body] },
      }}
      run={async (key) => {
        const created = await api.providerAccounts.create(body, key)
        await invalidate('provider_account')
        props.onCreated(created)
      }}
      successMessage="Account added"
      onDone={() => undefined}
      onCancel={props.close}
    >
      <RadioField
        legend="Provider"
        value={kind}
        onChange={(value) => setKind(value as Kind)}
        options={[
          {
            value: 'simulator',
            text: 'Simulator',
            hint: isLive ? 'Only in test workspaces.' : 'Supports the test cards and moves no money.',
            disabled: isLive,
          },
          { value: 'custom', text: 'Custom', hint: 'Your own provider that implements the protocol.' },
        ]}
      />
      <TextField label="Name" value={name} onChange={setName} pointer="/display_name" autoFocus />
      {kind === 'custom' && (
        <TextField
          label="Base URL"
          type="url"
          value={url}
          onChange={setUrl}
          placeholder="https://psp.example.com"
          hint="The URL where the provider serves the protocol."
          pointer="/config/base_url"
        />
      )}
    </ActionDialog>
  )
}

function FirstCheck({ created, close }: { created: ProviderAccount; close: () => void }) {
  const { data: account = created } = useObject<ProviderAccount>(
    ['provider_account', created.id],
    (api, signal) => api.providerAccounts.get(created.id, { signal }),
  )
  return (
    <Dialog title={`${account.display_name} added`} onClose={close}>
      <CheckResult account={account} />
      {account.provider === 'custom' && <CheckForm account={account} />}
      <p>
        <PageLink to={`/provider-accounts/${account.id}`}>Open account</PageLink>
      </p>
    </Dialog>
  )
}
