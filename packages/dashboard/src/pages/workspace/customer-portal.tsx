/** What customers can see and change in the customer portal. */
import type { PortalConfiguration } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../api/queries.ts'
import { useApi, useDisabledReason } from '../../api/workspace.tsx'
import { ActionForm } from '../../ui/action.tsx'
import { CheckField } from '../../ui/fields.tsx'
import { GuardedPage } from '../../ui/page-loaded.tsx'
import { PageHead, Panel } from '../../ui/panel.tsx'
import { Loaded } from '../../ui/states.tsx'
import { usePriceOptions } from '../billing/price-options.ts'

export function Page() {
  return (
    <GuardedPage operation="portal_configuration.get" title="Customer portal">
      {() => <PortalView />}
    </GuardedPage>
  )
}

function PortalView() {
  // After a save, a new form replaces the old one, because each form sends only one request.
  const [saved, setSaved] = useState(0)
  const configuration = useObject(['portal_configuration', 'settings'], (api) =>
    api.portalConfiguration.get(),
  )
  return (
    <>
      <PageHead title="Customer portal">
        <p className="mt-1 max-w-180 text-ink2">
          Hosted pages on which customers manage what they pay for. Your server opens them with POST
          /portal-sessions.
        </p>
      </PageHead>
      <Loaded query={configuration} rows={6}>
        {(loaded) => (
          <>
            <Panel title="What customers can do">
              <div className="max-w-180 p-4">
                <ConfigurationForm key={saved} configuration={loaded} onSaved={() => setSaved(saved + 1)} />
              </div>
            </Panel>
            <Panel title="Public cancellation page">
              <div className="max-w-180 p-4">
                <p>
                  Subscribers cancel a contract or withdraw from it here, without signing in. Link to it from
                  every page of your site.
                </p>
                <p className="mt-2">
                  <a className="break-all underline" href={loaded.cancellation_url}>
                    {loaded.cancellation_url}
                  </a>
                </p>
              </div>
            </Panel>
          </>
        )}
      </Loaded>
    </>
  )
}

const switches = [
  { name: 'payment_methods', label: 'See and replace cards' },
  { name: 'invoices', label: 'See, pay and download invoices' },
  { name: 'address', label: 'Change name, email and address' },
  { name: 'cancel', label: 'Cancel a subscription at the end of its period' },
  { name: 'pause', label: 'Pause a subscription at the end of its period, and resume it' },
] as const
type Switches = Pick<PortalConfiguration, (typeof switches)[number]['name']>

function ConfigurationForm({
  configuration,
  onSaved,
}: {
  configuration: PortalConfiguration
  onSaved: () => void
}) {
  const api = useApi()
  const invalidate = useInvalidate()
  const disabledReasonFor = useDisabledReason()
  const { object: _, cancellation_url: __, switch_plan: plan, ...initial } = configuration
  const [values, setValues] = useState<Switches>(initial)
  const [prices, setPrices] = useState<readonly string[]>(plan?.price_ids ?? [])
  const options = usePriceOptions()
  const body = { ...values, switch_plan: prices.length === 0 ? null : { price_ids: [...prices] } }
  return (
    <ActionForm
      submit="Save settings"
      disabledReason={disabledReasonFor('portal_configuration.update')}
      call={{
        method: 'PUT',
        path: '/portal-configuration',
        body,
        sdk: { method: 'portalConfiguration.update', args: [body] },
      }}
      run={async (key) => {
        await api.portalConfiguration.update(body, key)
        await invalidate('portal_configuration')
      }}
      successMessage="Settings saved"
      onDone={onSaved}
    >
      {switches.map(({ name, label }) => (
        <CheckField
          key={name}
          label={label}
          checked={values[name]}
          onChange={(checked) => setValues({ ...values, [name]: checked })}
        />
      ))}
      <fieldset className="grid gap-2">
        <legend className="mb-2 font-medium">Plans that customers can switch to</legend>
        {options.length === 0 && <p className="text-ink2">There are no recurring prices yet.</p>}
        {options.map(({ value, text }) => (
          <CheckField
            key={value}
            label={text}
            checked={prices.includes(value)}
            onChange={(checked) =>
              setPrices(checked ? [...prices, value] : prices.filter((price) => price !== value))
            }
          />
        ))}
      </fieldset>
    </ActionForm>
  )
}
