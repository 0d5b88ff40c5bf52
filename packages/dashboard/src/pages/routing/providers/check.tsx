/** Checks a provider, or the credentials of a connector, and shows the result. */
import type { ProviderAccount } from '@switchyard/sdk'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { countText } from '../../../format/text.ts'
import { relativeText } from '../../../format/time.ts'
import { ActionForm } from '../../../ui/action.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Chip } from '../../../ui/status.tsx'
import { isConnector } from './provider-name.tsx'

export function CheckPanel({ account }: { account: ProviderAccount }) {
  return (
    <Panel title={isConnector(account) ? 'Credentials check' : 'Protocol check'}>
      <div className="grid gap-4">
        <CheckResult account={account} />
        {account.provider !== 'simulator' && <CheckForm account={account} />}
      </div>
    </Panel>
  )
}

export function CheckForm({ account: { id, status } }: { account: ProviderAccount }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const archivedReason = status === 'archived' ? 'This account is archived.' : null
  return (
    <ActionForm
      submit="Run check"
      disabledReason={disabledReasonFor('provider_accounts.check') ?? archivedReason}
      call={{
        method: 'POST',
        path: `/provider-accounts/${id}/check`,
        sdk: { method: 'providerAccounts.check', args: [id] },
      }}
      run={async (key) => {
        await api.providerAccounts.check(id, key)
        await invalidate('provider_account')
      }}
      successMessage="Check completed"
      onDone={() => undefined}
    />
  )
}

function uncheckedText(provider: ProviderAccount['provider']): string {
  if (provider === 'simulator')
    return 'The simulator supports the test cards and moves no money. It does not need a check.'
  return provider === 'custom'
    ? 'Not checked yet. In production, a route that uses this account can be published only after the check has passed.'
    : 'Not checked yet. The check makes one call to the provider, which changes nothing.'
}

export function CheckResult({ account }: { account: ProviderAccount }) {
  const { check, checked_at, provider } = account
  if (check === null || checked_at === null) return <p className="text-ink2">{uncheckedText(provider)}</p>
  if (check.passed)
    return (
      <p className="flex flex-wrap items-center gap-2">
        <Chip mark="disc" tone="success" text="Passed" />{' '}
        {isConnector(account) ? 'The provider accepts the credentials' : 'Meets all protocol requirements'},
        checked {relativeText(checked_at)}.
      </p>
    )
  return (
    <div className="grid gap-2">
      <p className="flex flex-wrap items-center gap-2">
        <Chip mark="barred" tone="danger" text="Failed" />{' '}
        {isConnector(account)
          ? 'The provider does not accept the credentials'
          : `Violates ${countText(check.faults.length, 'protocol requirement')}`}
        , checked {relativeText(checked_at)}:
      </p>
      <ul className="grid gap-2">
        {check.faults.map(({ duty, detail }) => (
          <li key={`${duty} ${detail}`} className="grid border-l-2 border-danger-solid pl-3">
            <strong>{duty}</strong>
            <span className="text-ink2 break-words">{detail}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
