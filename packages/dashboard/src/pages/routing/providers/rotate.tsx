import type { ProviderAccount } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { SelectField } from '../../../ui/fields.tsx'
import { AccountSecret } from './account-secret.tsx'

const overlaps = [
  { value: '0', text: 'Immediately' },
  { value: '3600', text: 'After 1 hour' },
  { value: '86400', text: 'After 1 day' },
  { value: '604800', text: 'After 7 days' },
] as const

export function RotateDialog({ account, close }: { account: ProviderAccount; close: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const [overlap, setOverlap] = useState('86400')
  const [secret, setSecret] = useState<string | null>(null)
  const body = { overlap_seconds: Number(overlap) }
  if (secret !== null) return <AccountSecret secret={secret} close={close} />
  return (
    <ActionDialog
      title="Rotate secret"
      intro="Requests are signed with both secrets until the previous one expires. Configure the new secret at your provider before then."
      submit="Rotate secret"
      disabledReason={disabledReasonFor('provider_accounts.rotate_secret')}
      call={{
        method: 'POST',
        path: `/provider-accounts/${account.id}/rotate_secret`,
        body,
        sdk: { method: 'providerAccounts.rotateSecret', args: [account.id, body] },
      }}
      run={async (key) => {
        const rotated = await api.providerAccounts.rotateSecret(account.id, body, key)
        await invalidate('provider_account')
        if (rotated.secret === null) close()
        else setSecret(rotated.secret)
      }}
      successMessage="Secret rotated"
      // The new secret is shown next, so the dialog does not close here.
      onDone={() => undefined}
      onCancel={close}
    >
      <SelectField
        label="Previous secret expires"
        value={overlap}
        onChange={setOverlap}
        options={overlaps}
        pointer="/overlap_seconds"
      />
    </ActionDialog>
  )
}
