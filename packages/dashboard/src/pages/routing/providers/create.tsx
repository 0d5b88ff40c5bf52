/** Adds a provider: the simulator, or one of your own that serves the protocol for that, with a check. */
import type { CreateProviderAccount, ProviderAccount, RevealedProviderAccount } from '@switchyard/sdk'
import { useState } from 'react'
import { useObject, useReread } from '../../../api/queries.ts'
import { useApi, useHere, useMay } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { RadioField, TextField } from '../../../ui/fields.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { CheckForm, CheckResult } from './check.tsx'
import { SecretOnce } from './secret-once.tsx'

type Kind = CreateProviderAccount['provider']

export function CreateProvider({ close }: { close: () => void }) {
  const [made, setMade] = useState<RevealedProviderAccount | null>(null)
  const [isKept, setKept] = useState(false)
  if (made === null) return <CreateForm made={setMade} close={close} />
  if (made.secret !== null && !isKept) return <SecretOnce secret={made.secret} close={() => setKept(true)} />
  return <FirstCheck made={made} close={close} />
}

function CreateForm(props: { made: (account: RevealedProviderAccount) => void; close: () => void }) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const { workspace } = useHere()
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
      refused={may('provider_accounts.create')}
      call={{
        method: 'POST',
        path: '/provider-accounts',
        body,
        sdk: { method: 'providerAccounts.create', args: [body] },
      }}
      run={async (key) => {
        const made = await api.providerAccounts.create(body, key)
        await reread('provider_account')
        props.made(made)
      }}
      done="The account is added."
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
            hint: isLive ? 'In test workspaces alone.' : 'Knows the test cards and moves no money.',
            off: isLive,
          },
          { value: 'custom', text: 'Custom', hint: 'A provider of your own that serves the protocol.' },
        ]}
      />
      <TextField label="Name" value={name} onChange={setName} pointer="/display_name" autoFocus />
      {kind === 'custom' && (
        <TextField
          label="Address"
          type="url"
          value={url}
          onChange={setUrl}
          placeholder="https://psp.example.com"
          hint="Under which it serves the calls of the protocol."
          pointer="/config/base_url"
        />
      )}
    </ActionDialog>
  )
}

function FirstCheck({ made, close }: { made: ProviderAccount; close: () => void }) {
  const { data: account = made } = useObject<ProviderAccount>(['provider_account', made.id], (api, signal) =>
    api.providerAccounts.get(made.id, { signal }),
  )
  return (
    <Dialog title={`${account.display_name} is added`} onClose={close}>
      <CheckResult account={account} />
      {account.provider === 'custom' && <CheckForm account={account} />}
      <p>
        <PageLink to={`/provider-accounts/${account.id}`}>Open the account</PageLink>
      </p>
    </Dialog>
  )
}
