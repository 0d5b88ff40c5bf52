import type { ProviderAccount } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { SelectField } from '../../../ui/fields.tsx'
import { SecretOnce } from './secret-once.tsx'

const overlaps = [
  { value: '0', text: 'Now' },
  { value: '3600', text: 'After an hour' },
  { value: '86400', text: 'After a day' },
  { value: '604800', text: 'After a week' },
] as const

export function RotateDialog({ account, close }: { account: ProviderAccount; close: () => void }) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const [overlap, setOverlap] = useState('86400')
  const [secret, setSecret] = useState<string | null>(null)
  const body = { overlap_seconds: Number(overlap) }
  if (secret !== null) return <SecretOnce secret={secret} close={close} />
  return (
    <ActionDialog
      title="Rotate the secret"
      intro="A new secret signs from now on. Your provider has to know it before the earlier one ends."
      submit="Rotate the secret"
      refused={may('provider_accounts.rotate_secret')}
      call={{
        method: 'POST',
        path: `/provider-accounts/${account.id}/rotate_secret`,
        body,
        sdk: { method: 'providerAccounts.rotateSecret', args: [account.id, body] },
      }}
      run={async (key) => {
        const answer = await api.providerAccounts.rotateSecret(account.id, body, key)
        await reread('provider_account')
        if (answer.secret === null) close()
        else setSecret(answer.secret)
      }}
      done="The secret is rotated."
      // The secret has to be seen first: it closes by itself.
      onDone={() => undefined}
      onCancel={close}
    >
      <SelectField
        label="The earlier secret ends"
        value={overlap}
        onChange={setOverlap}
        options={overlaps}
        pointer="/overlap_seconds"
      />
    </ActionDialog>
  )
}
