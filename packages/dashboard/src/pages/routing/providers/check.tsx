/** Asks the provider whether it keeps the promises of the protocol, and says in words what came of it. */
import type { ProviderAccount } from '@switchyard/sdk'
import { useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { relativeText } from '../../../format/time.ts'
import { counted } from '../../../format/words.ts'
import { ActionForm } from '../../../ui/action.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Chip } from '../../../ui/status.tsx'

export function CheckPanel({ account }: { account: ProviderAccount }) {
  return (
    <Panel title="Check">
      <div className="grid gap-4">
        <CheckResult account={account} />
        {account.provider === 'custom' && <CheckForm account={account} />}
      </div>
    </Panel>
  )
}

export function CheckForm({ account: { id, status } }: { account: ProviderAccount }) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const why = status === 'archived' ? 'It is archived.' : null
  return (
    <ActionForm
      submit="Check it now"
      refused={may('provider_accounts.check') ?? why}
      call={{
        method: 'POST',
        path: `/provider-accounts/${id}/check`,
        sdk: { method: 'providerAccounts.check', args: [id] },
      }}
      run={async (key) => {
        await api.providerAccounts.check(id, key)
        await reread('provider_account')
      }}
      done="The check is done."
      onDone={() => undefined}
    />
  )
}

export function CheckResult({ account: { check, checked_at, provider } }: { account: ProviderAccount }) {
  if (check === null || checked_at === null)
    return (
      <p className="text-ink2">
        {provider === 'simulator'
          ? 'The simulator knows the test cards and moves no money. There is nothing to check.'
          : 'It was not checked yet. In production a route with it can only be published after it has passed.'}
      </p>
    )
  if (check.passed)
    return (
      <p className="flex flex-wrap items-center gap-2">
        <Chip mark="disc" tone="clear" text="Passed" /> It kept all promises of the protocol,{' '}
        {relativeText(checked_at)}.
      </p>
    )
  return (
    <div className="grid gap-2">
      <p className="flex flex-wrap items-center gap-2">
        <Chip mark="barred" tone="danger" text="Not passed" /> It broke{' '}
        {counted(check.faults.length, 'promise')} of the protocol, {relativeText(checked_at)}:
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
