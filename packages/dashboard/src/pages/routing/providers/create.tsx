/**
 * Adds a provider account: a connector with its credentials, the simulator, or a custom provider that implements the
 * protocol. Then shows how to create the webhook, and checks the account.
 */
import type {
  CreateProviderAccount,
  Provider,
  ProviderAccount,
  RevealedProviderAccount,
} from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../../api/queries.ts'
import { useApi, useDisabledReason, useWorkspace } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { CheckField, SelectField, TextField } from '../../../ui/fields.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { AccountSecret } from './account-secret.tsx'
import { CheckForm, CheckResult } from './check.tsx'
import {
  CredentialFields,
  enteredValues,
  type FieldValues,
  hiddenValues,
  SettingFields,
} from './connector-fields.tsx'
import { isConnector } from './provider-name.tsx'
import { useProviders } from './providers.ts'
import { WebhookSetup } from './webhook-setup.tsx'

type Kind = CreateProviderAccount['provider']

export function CreateProvider({ close }: { close: () => void }) {
  const [account, setAccount] = useState<RevealedProviderAccount | null>(null)
  const [isSecretStored, setSecretStored] = useState(false)
  const providers = useProviders()
  if (account === null)
    return (
      <Loaded query={providers} rows={3}>
        {(list) => <CreateForm providers={list} onCreated={setAccount} close={close} />}
      </Loaded>
    )
  if (account.secret !== null && !isSecretStored)
    return <AccountSecret secret={account.secret} close={() => setSecretStored(true)} />
  return <FirstCheck created={account} close={close} />
}

type Entered = {
  readonly kind: Kind
  readonly name: string
  readonly url: string
  readonly isEmulated: boolean
  readonly acceptsCardNumbers: boolean
  readonly credentials: FieldValues
  readonly settings: FieldValues
}

function bodyOf(entered: Entered): CreateProviderAccount {
  const { kind, name, url, isEmulated, acceptsCardNumbers, credentials, settings } = entered
  const body = { provider: kind, display_name: name }
  if (kind === 'simulator') return body
  if (kind === 'custom') return { ...body, config: { base_url: url } }
  if (isEmulated) return { ...body, config: { emulated: true } }
  return {
    ...body,
    ...(acceptsCardNumbers ? { card_data: 'pan' as const } : {}),
    // If no value was entered, omit the member: the error of the API then names the first missing value.
    ...(Object.keys(enteredValues(credentials)).length === 0
      ? {}
      : { credentials: enteredValues(credentials) }),
    config: { settings: enteredValues(settings) },
  }
}

function CreateForm(props: {
  providers: readonly Provider[]
  onCreated: (account: RevealedProviderAccount) => void
  close: () => void
}) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const { workspace } = useWorkspace()
  const isLive = workspace.mode === 'live'
  const [entered, setEntered] = useState<Entered>({
    kind: isLive ? 'stripe' : 'simulator',
    name: '',
    url: '',
    isEmulated: false,
    acceptsCardNumbers: false,
    credentials: {},
    settings: {},
  })
  const change = (changes: Partial<Entered>) => setEntered({ ...entered, ...changes })
  const body = bodyOf(entered)
  const provider = props.providers.find(({ id }) => id === entered.kind)
  return (
    <ActionDialog
      title="Add provider"
      submit="Add provider"
      disabledReason={disabledReasonFor('provider_accounts.create')}
      call={{
        method: 'POST',
        path: '/provider-accounts',
        body: withoutSecrets(body),
        sdk: { method: 'providerAccounts.create', args: [withoutSecrets(body)] },
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
      <ProviderSelect providers={props.providers} kind={entered.kind} isLive={isLive} change={change} />
      <TextField
        label="Name"
        value={entered.name}
        onChange={(name) => change({ name })}
        pointer="/display_name"
        autoFocus
      />
      {entered.kind === 'custom' && (
        <TextField
          label="Base URL"
          type="url"
          value={entered.url}
          onChange={(url) => change({ url })}
          placeholder="https://psp.example.com"
          hint="The URL where the provider serves the protocol."
          pointer="/config/base_url"
        />
      )}
      {provider !== undefined && isConnector({ provider: entered.kind }) && (
        <ConnectorForm provider={provider} entered={entered} change={change} isLive={isLive} />
      )}
    </ActionDialog>
  )
}

function ProviderSelect(props: {
  providers: readonly Provider[]
  kind: Kind
  isLive: boolean
  change: (changes: Partial<Entered>) => void
}) {
  const { providers, kind, isLive, change } = props
  return (
    <SelectField
      label="Provider"
      value={kind}
      onChange={(value) => change({ kind: value as Kind, credentials: {}, settings: {} })}
      options={providers.map(({ id, name }) => ({
        value: id,
        text: id === 'simulator' && isLive ? `${name} (only in test workspaces)` : name,
        disabled: id === 'simulator' && isLive,
      }))}
      hint={hints[kind] ?? 'Enter the credentials of your account with this provider.'}
      pointer="/provider"
    />
  )
}

const hints: { readonly [Id in Kind]?: string } = {
  simulator: 'Supports the test cards and moves no money.',
  custom: 'Your own provider that implements the protocol.',
}

function ConnectorForm(props: {
  provider: Provider
  entered: Entered
  change: (changes: Partial<Entered>) => void
  isLive: boolean
}) {
  const { provider, entered, change, isLive } = props
  return (
    <>
      {!isLive && (
        <CheckField
          label="Emulate this provider"
          checked={entered.isEmulated}
          onChange={(isEmulated) => change({ isEmulated })}
          hint="The simulator responds in the provider’s format. No account with the provider is needed, and it moves no money."
        />
      )}
      {!entered.isEmulated && (
        <>
          <CredentialFields
            provider={provider}
            values={entered.credentials}
            onChange={(credentials) => change({ credentials })}
            emptyHint="Optional."
          />
          <SettingFields
            provider={provider}
            values={entered.settings}
            onChange={(settings) => change({ settings })}
          />
          {provider.card_numbers_need_approval && (
            <CheckField
              label={`${provider.name} has enabled card numbers for this account`}
              checked={entered.acceptsCardNumbers}
              onChange={(acceptsCardNumbers) => change({ acceptsCardNumbers })}
              hint="Otherwise the account accepts only tokens from the provider's own form fields."
            />
          )}
        </>
      )}
    </>
  )
}

/** The request as it is shown, without the values of the credentials. */
function withoutSecrets(body: CreateProviderAccount): CreateProviderAccount {
  return body.credentials === undefined ? body : { ...body, credentials: hiddenValues(body.credentials) }
}

function FirstCheck({ created, close }: { created: ProviderAccount; close: () => void }) {
  const { data: account = created } = useObject<ProviderAccount>(
    ['provider_account', created.id],
    (api, signal) => api.providerAccounts.get(created.id, { signal }),
  )
  return (
    <Dialog title={`${account.display_name} added`} onClose={close}>
      <div className="grid gap-4">
        {isConnector(account) && <WebhookSetup account={account} />}
        <CheckResult account={account} />
        {account.provider !== 'simulator' && <CheckForm account={account} />}
        <p>
          <PageLink to={`/provider-accounts/${account.id}`}>Open account</PageLink>
        </p>
      </div>
    </Dialog>
  )
}
