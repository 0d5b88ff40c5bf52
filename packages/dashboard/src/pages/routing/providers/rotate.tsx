import type { ProviderAccount } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { SelectField } from '../../../ui/fields.tsx'
import { AccountSecret } from './account-secret.tsx'
import { CredentialFields, enteredValues, type FieldValues, hiddenValues } from './connector-fields.tsx'
import { isConnector } from './provider-name.tsx'
import { useProvider } from './providers.ts'

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
  const [values, setValues] = useState<FieldValues>({})
  const provider = useProvider(account.provider)
  const hasCredentials = isConnector(account)
  const bodyWith = (credentials: FieldValues) => ({
    overlap_seconds: Number(overlap),
    ...(hasCredentials ? { credentials } : {}),
  })
  const body = bodyWith(enteredValues(values))
  const shownBody = bodyWith(hiddenValues(enteredValues(values)))
  if (secret !== null) return <AccountSecret secret={secret} close={close} />
  return (
    <ActionDialog
      title={hasCredentials ? 'Replace credentials' : 'Rotate secret'}
      intro={
        hasCredentials
          ? 'Requests use the new credentials immediately. Webhooks are also accepted with the previous secret until it expires.'
          : 'Requests are signed with both secrets until the previous one expires. Configure the new secret at your provider before then.'
      }
      submit={hasCredentials ? 'Replace credentials' : 'Rotate secret'}
      disabledReason={disabledReasonFor('provider_accounts.rotate_secret')}
      call={{
        method: 'POST',
        path: `/provider-accounts/${account.id}/rotate_secret`,
        body: shownBody,
        sdk: { method: 'providerAccounts.rotateSecret', args: [account.id, shownBody] },
      }}
      run={async (key) => {
        const rotated = await api.providerAccounts.rotateSecret(account.id, body, key)
        await invalidate('provider_account')
        if (rotated.secret === null) close()
        else setSecret(rotated.secret)
      }}
      successMessage={hasCredentials ? 'Credentials replaced' : 'Secret rotated'}
      // The new secret is shown next, so the dialog does not close here.
      onDone={() => undefined}
      onCancel={close}
    >
      {hasCredentials && provider !== undefined && (
        <CredentialFields
          provider={provider}
          values={values}
          onChange={setValues}
          emptyHint="Leave empty to keep the current value."
        />
      )}
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
