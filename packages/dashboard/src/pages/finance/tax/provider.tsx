/** The account at a tax provider: configured, checked, and used for new invoices. */
import { type Seller, SwitchyardError, type TaxProvider, type UpdateTaxProvider } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../../api/queries.ts'
import { useApi, useDisabledReason, useWorkspace } from '../../../api/workspace.tsx'
import { relativeText } from '../../../format/time.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { CheckField, SelectField, TextField } from '../../../ui/fields.tsx'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'

type ProviderName = TaxProvider['provider']
type Values = Readonly<Record<string, string>>

const names: { readonly [P in ProviderName]: string } = { stripe_tax: 'Stripe Tax', avatax: 'AvaTax' }

const fields: {
  readonly [P in ProviderName]: readonly { name: string; label: string; isSecret?: boolean }[]
} = {
  stripe_tax: [{ name: 'secret_key', label: 'Secret key', isSecret: true }],
  avatax: [
    { name: 'account_id', label: 'Account id' },
    { name: 'license_key', label: 'License key', isSecret: true },
    { name: 'company_code', label: 'Company code' },
  ],
}

export function Provider({ mode }: { mode: Seller['tax'] | undefined }) {
  const provider = useObject(
    ['tax_provider', 'settings'],
    (api): Promise<TaxProvider | null> => api.taxProvider.get().catch(nullIfMissing),
  )
  const disabledReasonFor = useDisabledReason()
  const [dialog, setDialog] = useState<'configure' | 'check' | 'use' | null>(null)
  const close = () => setDialog(null)
  const disabledReason = disabledReasonFor('tax_provider.update')
  return (
    <Loaded query={provider} rows={2}>
      {(found) => (
        <Panel
          title="Tax provider"
          titleExtra={
            <>
              {found !== null && mode !== 'provider' && (
                <Button disabledReason={disabledReasonFor('seller.update')} onClick={() => setDialog('use')}>
                  Use tax provider…
                </Button>
              )}
              {found !== null && (
                <Button
                  disabledReason={disabledReasonFor('tax_provider.check')}
                  onClick={() => setDialog('check')}
                >
                  Check credentials…
                </Button>
              )}
              <Button disabledReason={disabledReason} onClick={() => setDialog('configure')}>
                Configure provider…
              </Button>
            </>
          }
        >
          {found === null ? (
            <Empty title="No tax provider">
              Stripe Tax or AvaTax can compute and record the tax of invoices.
            </Empty>
          ) : (
            <Facts facts={factsOf(found, mode)} />
          )}
          {dialog === 'configure' && <Configure before={found} close={close} />}
          {dialog === 'check' && <Check close={close} />}
          {dialog === 'use' && <Use close={close} />}
        </Panel>
      )}
    </Loaded>
  )
}

function nullIfMissing(cause: unknown): null {
  if (cause instanceof SwitchyardError && cause.status === 404) return null
  throw cause
}

function factsOf(provider: TaxProvider, mode: Seller['tax'] | undefined) {
  const { emulated, config, secrets, waiting_since: waiting, unrecorded_since: unrecorded } = provider
  const labelOf = (name: string) =>
    fields[provider.provider].find((field) => field.name === name)?.label ?? name
  const facts: (readonly [string, string])[] = [
    ['Provider', `${names[provider.provider]}${emulated ? ' (emulated)' : ''}`],
    ['Used for new invoices', mode === 'provider' ? 'Yes' : 'No'],
    ['Oldest draft without tax', waiting === null ? 'None' : relativeText(waiting)],
    ['Oldest document not recorded', unrecorded === null ? 'None' : relativeText(unrecorded)],
  ]
  if (emulated) return facts
  return [
    ...facts,
    ...Object.entries(config).map(([name, value]) => [labelOf(name), String(value)] as const),
    ...secrets.map((name) => [labelOf(name), 'Stored, never shown'] as const),
  ]
}

function settingsOf({ config }: TaxProvider): Values {
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, String(value)]))
}

function Configure({ before, close }: { before: TaxProvider | null; close: () => void }) {
  const api = useApi()
  const invalidate = useInvalidate()
  const { workspace } = useWorkspace()
  const [provider, setProvider] = useState<ProviderName>(before?.provider ?? 'stripe_tax')
  const [isEmulated, setEmulated] = useState(before?.emulated ?? workspace.mode === 'test')
  // Omitted secrets are unchanged, but settings have to be sent again.
  const [values, setValues] = useState<Values>(() =>
    before === null || before.emulated ? {} : settingsOf(before),
  )
  const bodyWith = (config: Values): UpdateTaxProvider =>
    isEmulated ? { provider, emulated: true } : { provider, config }
  const entered = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
  const body = bodyWith(entered)
  const isSecret = (name: string) => fields[provider].some((field) => field.name === name && field.isSecret)
  const shown = bodyWith(
    Object.fromEntries(Object.entries(entered).map(([name, value]) => [name, isSecret(name) ? '…' : value])),
  )
  return (
    <ActionDialog
      title="Configure tax provider"
      intro="Secrets are encrypted. Secrets that you leave empty are unchanged."
      submit="Save provider"
      call={{
        method: 'PUT',
        path: '/tax-provider',
        body: shown,
        sdk: { method: 'taxProvider.update', args: [shown] },
      }}
      run={async (key) => {
        await api.taxProvider.update(body, key)
        await invalidate('tax_provider')
      }}
      successMessage="Tax provider saved"
      onDone={close}
      onCancel={close}
    >
      <SelectField
        label="Provider"
        pointer="/provider"
        value={provider}
        onChange={(value) => {
          setProvider(value as ProviderName)
          setValues({})
        }}
        options={Object.entries(names).map(([value, text]) => ({ value, text }))}
      />
      {workspace.mode === 'test' && (
        <CheckField
          label="Use the emulated provider of the simulator"
          checked={isEmulated}
          onChange={setEmulated}
        />
      )}
      {!isEmulated &&
        fields[provider].map(({ name, label, isSecret: secret = false }) => (
          <TextField
            key={name}
            label={label}
            pointer={`/config/${name}`}
            value={values[name] ?? ''}
            onChange={(value) => setValues({ ...values, [name]: value })}
            type={secret ? 'password' : 'text'}
          />
        ))}
    </ActionDialog>
  )
}

function Check({ close }: { close: () => void }) {
  const api = useApi()
  return (
    <ActionDialog
      title="Check credentials"
      intro="Calls the tax provider without changing anything."
      submit="Check credentials"
      call={{ method: 'POST', path: '/tax-provider/check', sdk: { method: 'taxProvider.check', args: [] } }}
      run={async (key) => {
        const { ok, detail } = await api.taxProvider.check(key)
        if (!ok) throw new Error(detail ?? 'The tax provider rejected the call.')
      }}
      successMessage="The tax provider accepts the credentials"
      onDone={close}
      onCancel={close}
    />
  )
}

function Use({ close }: { close: () => void }) {
  const api = useApi()
  const invalidate = useInvalidate()
  const body = { tax: 'provider' as const }
  return (
    <ActionDialog
      title="Use tax provider"
      intro="The provider computes and records the tax of new invoices. Existing invoices are not changed."
      submit="Use tax provider"
      cancelLabel="Keep current setting"
      call={{ method: 'PUT', path: '/seller', body, sdk: { method: 'seller.update', args: [body] } }}
      run={async (key) => {
        await api.seller.update(body, key)
        await invalidate('seller', 'tax_provider', 'tax_preview')
      }}
      successMessage="Tax provider is used for new invoices"
      onDone={close}
      onCancel={close}
    />
  )
}
