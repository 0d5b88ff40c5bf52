/** Who collects card numbers: Switchyard, the provider, or a card vault. */
import type { UpdateWorkspace, Workspace } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../api/queries.ts'
import { useApi, useDisabledReason } from '../../api/workspace.tsx'
import { ActionDialog } from '../../ui/action.tsx'
import { Button } from '../../ui/button.tsx'
import { CheckField, RadioField, SelectField, TextArea, TextField } from '../../ui/fields.tsx'
import { GuardedPage } from '../../ui/page-loaded.tsx'
import { Facts, PageHead, Panel } from '../../ui/panel.tsx'
import { Loaded } from '../../ui/states.tsx'

type CardData = Workspace['card_data']
type VaultName = NonNullable<CardData['vault']>['provider']

const modes = [
  {
    value: 'own_vault',
    text: 'Switchyard vault',
    hint: 'Your server receives and stores card numbers. Failover works with every provider.',
  },
  {
    value: 'provider_fields',
    text: 'Provider fields',
    hint: 'The provider collects card numbers, and a saved card works only at that provider.',
  },
  {
    value: 'external_vault',
    text: 'External card vault',
    hint: 'The vault collects card numbers and adds them to calls to providers. Failover works without card numbers on your server.',
  },
] as const

const vaults: { readonly [V in VaultName]: string } = { basis_theory: 'Basis Theory', vgs: 'VGS' }

/** The settings that the merchant copies from the vault. */
const vaultFields: { readonly [V in VaultName]: readonly VaultField[] } = {
  basis_theory: [
    {
      name: 'api_key',
      label: 'API key',
      hint: 'Key of a private application with the permissions token:read and token:use.',
      isSecret: true,
    },
    {
      name: 'public_api_key',
      label: 'Public API key',
      hint: 'Key of a public application with the permission token:create. Needed for payment links and checkout sessions.',
    },
  ],
  vgs: [
    { name: 'vault_id', label: 'Vault id', hint: 'Starts with tnt.' },
    { name: 'environment', label: 'Environment', hint: 'sandbox for tests, otherwise live or live-eu-1.' },
    { name: 'username', label: 'User name', hint: 'From the access credentials.', isSecret: true },
    { name: 'password', label: 'Password', hint: 'From the access credentials.', isSecret: true },
    {
      name: 'route_id',
      label: 'Inbound route id',
      hint: 'Route with the Vault API as upstream. Needed for payment links and checkout sessions.',
    },
    { name: 'ca', label: 'Root certificate', hint: 'As PEM.', isLong: true },
  ],
}

type VaultField = {
  readonly name: string
  readonly label: string
  readonly hint: string
  readonly isSecret?: boolean
  readonly isLong?: boolean
}

export function Page() {
  return (
    <GuardedPage operation="workspace.get" title="Card data">
      {() => <CardDataView />}
    </GuardedPage>
  )
}

function CardDataView() {
  const workspace = useObject(['workspace', 'settings'], (api) => api.workspace.get())
  const [isOpen, setOpen] = useState(false)
  const disabledReasonFor = useDisabledReason()
  return (
    <>
      <PageHead
        title="Card data"
        actions={
          <Button disabledReason={disabledReasonFor('workspace.update')} onClick={() => setOpen(true)}>
            Change…
          </Button>
        }
      >
        <p className="mt-1 max-w-180 text-ink2">
          Who collects card numbers determines which PCI DSS questionnaire applies to you. Your acquirer makes
          the final decision.
        </p>
      </PageHead>
      <Loaded query={workspace} rows={4}>
        {(loaded) => (
          <>
            <Panel title="Collection of card numbers">
              <Facts facts={factsOf(loaded.card_data)} />
            </Panel>
            {isOpen && <ChangeCardData workspace={loaded} close={() => setOpen(false)} />}
          </>
        )}
      </Loaded>
    </>
  )
}

function factsOf({ mode, vault }: CardData) {
  const { text, hint } = modes.find(({ value }) => value === mode) ?? modes[0]
  const facts: (readonly [string, string])[] = [
    ['Collected by', text],
    ['Consequence', hint],
  ]
  if (vault === null) return facts
  const name = vaults[vault.provider]
  if (vault.emulated) return [...facts, ['Vault', `${name} (emulated)`] as const]
  const settings = Object.entries(vault.config).filter(([key]) => key !== 'ca')
  return [
    ...facts,
    ['Vault', name] as const,
    ...settings.map(([key, value]) => [labelOf(vault.provider, key), String(value)] as const),
    ...vault.secrets.map((key) => [labelOf(vault.provider, key), 'Stored, never shown'] as const),
  ]
}

function labelOf(vault: VaultName, name: string): string {
  return vaultFields[vault].find((field) => field.name === name)?.label ?? name
}

type Values = Readonly<Record<string, string>>

function ChangeCardData({ workspace, close }: { workspace: Workspace; close: () => void }) {
  const api = useApi()
  const invalidate = useInvalidate()
  const { card_data: before, mode: environment } = workspace
  const [mode, setMode] = useState<string>(before.mode)
  const [provider, setProvider] = useState<VaultName>(before.vault?.provider ?? 'basis_theory')
  const [isEmulated, setEmulated] = useState(before.vault?.emulated ?? environment === 'test')
  const [values, setValues] = useState(() => valuesOf(before.vault?.config))
  const requestWith = (config: Values) => {
    const vault = isEmulated ? { provider, emulated: true } : { provider, config }
    return { card_data: mode === 'external_vault' ? { mode, vault } : { mode } } as UpdateWorkspace
  }
  const body = requestWith(enteredValues(values))
  const shown = requestWith(withoutSecrets(provider, enteredValues(values)))
  return (
    <ActionDialog
      title="Change how card numbers are collected"
      intro="Payments use the new setting immediately. Saved cards stay where they are stored."
      submit="Save"
      call={{
        method: 'PUT',
        path: '/workspace',
        body: shown,
        sdk: { method: 'workspace.update', args: [shown] },
      }}
      run={async (key) => {
        await api.workspace.update(body, key)
        await invalidate('workspace')
      }}
      successMessage="Setting saved"
      onDone={close}
      onCancel={close}
    >
      <RadioField legend="Card numbers are collected by" value={mode} onChange={setMode} options={modes} />
      {mode === 'external_vault' && (
        <>
          <SelectField
            label="Vault"
            pointer="/card_data/vault/provider"
            value={provider}
            onChange={(value) => setProvider(value as VaultName)}
            options={Object.entries(vaults).map(([value, text]) => ({ value, text }))}
          />
          {environment === 'test' && (
            <CheckField
              label="Use the emulated vault of the simulator"
              checked={isEmulated}
              onChange={setEmulated}
            />
          )}
          {!isEmulated && <VaultFields provider={provider} values={values} change={setValues} />}
        </>
      )}
    </ActionDialog>
  )
}

function valuesOf(config: object = {}): Values {
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, String(value)]))
}

/** Secrets that are not entered keep their value. */
function enteredValues(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
}

/** The values as they are shown in the code of the request. */
function withoutSecrets(provider: VaultName, values: Values): Values {
  const isSecret = (name: string) =>
    vaultFields[provider].some((field) => field.name === name && field.isSecret === true)
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isSecret(name) ? '…' : value]),
  )
}

function VaultFields(props: { provider: VaultName; values: Values; change: (values: Values) => void }) {
  const { provider, values, change } = props
  return vaultFields[provider].map(({ name, label, hint, isSecret = false, isLong = false }) => {
    const field = {
      label,
      hint,
      pointer: `/card_data/vault/config/${name}`,
      value: values[name] ?? '',
      onChange: (value: string) => change({ ...values, [name]: value }),
    }
    if (isLong) return <TextArea key={name} {...field} mono />
    return <TextField key={name} {...field} type={isSecret ? 'password' : 'text'} autoComplete="off" />
  })
}
