/** Creates, rolls and revokes tokens. */
import type { ApiToken, CreateApiToken } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { RadioField, SelectField, TextField } from '../../../ui/fields.tsx'
import { isoTimestamp } from '../../webhooks/endpoints/local-time.ts'
import { overlaps } from '../../webhooks/endpoints/overlap.ts'

/** Receives the token value; null if the response was replayed, because a token is shown only once. */
type OnCreated = (text: string | null) => void

const kinds = [
  { value: 'ADMIN', text: 'Secret, Admin: everything' },
  { value: 'DEVELOPER', text: 'Secret, Developer: create and change objects' },
  { value: 'SUPPORT', text: 'Secret, Support: refund, cancel, pause, resend' },
  { value: 'FINANCE', text: 'Secret, Finance: settlement, disputes and journal' },
  { value: 'READ_ONLY', text: 'Secret, Read-only: view everything' },
  { value: 'publishable', text: 'Publishable: safe in the browser' },
]

export function CreateToken({ onCreated, onClose }: { onCreated: OnCreated; onClose: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const [name, setName] = useState('')
  const [kind, setKind] = useState('DEVELOPER')
  const [expiry, setExpiry] = useState('')
  const body = {
    name,
    ...(kind === 'publishable' ? { kind } : { role: kind }),
    ...(expiry === '' ? {} : { expires_at: isoTimestamp(expiry) }),
  } as CreateApiToken
  return (
    <ActionDialog
      title="Create token"
      submit="Create token"
      disabledReason={disabledReasonFor('api_tokens.create')}
      call={{ method: 'POST', path: '/api-tokens', body, sdk: { method: 'apiTokens.create', args: [body] } }}
      run={async (key) => {
        const { token } = await api.apiTokens.create(body, key)
        await invalidate('api_token')
        onCreated(token)
      }}
      onDone={() => undefined}
      onCancel={onClose}
    >
      <TextField
        label="Name"
        pointer="/name"
        hint="What uses this token."
        placeholder="Shop server"
        value={name}
        onChange={setName}
        autoFocus
      />
      <SelectField label="Kind and role" pointer="/role" value={kind} onChange={setKind} options={kinds} />
      <TextField
        label="Expires"
        type="datetime-local"
        pointer="/expires_at"
        hint="Leave empty for no expiry."
        value={expiry}
        onChange={setExpiry}
      />
    </ActionDialog>
  )
}

export function RollToken(props: { token: ApiToken; onCreated: OnCreated; onClose: () => void }) {
  const { token, onCreated, onClose } = props
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const [overlap, setOverlap] = useState('3600')
  const body = { overlap_seconds: Number(overlap) }
  return (
    <ActionDialog
      title={`Roll ${token.name}`}
      intro="Creates a new token value, shown once. The old value keeps working during the overlap, so that you can update your server."
      submit="Roll token"
      disabledReason={disabledReasonFor('api_tokens.roll')}
      call={{
        method: 'POST',
        path: `/api-tokens/${token.id}/roll`,
        body,
        sdk: { method: 'apiTokens.roll', args: [token.id, body] },
      }}
      run={async (key) => {
        const rolled = await api.apiTokens.roll(token.id, body, key)
        await invalidate('api_token')
        onCreated(rolled.token)
      }}
      onDone={() => undefined}
      onCancel={onClose}
    >
      <RadioField legend="Old value expires" value={overlap} onChange={setOverlap} options={overlaps} />
    </ActionDialog>
  )
}

export function RevokeToken({ token, onClose }: { token: ApiToken; onClose: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  return (
    <ActionDialog
      title={`Revoke ${token.name}`}
      intro="Requests with this token are rejected within five seconds. This cannot be undone. To replace it without downtime, roll it instead."
      submit="Revoke token"
      danger
      disabledReason={disabledReasonFor('api_tokens.revoke')}
      successMessage="Token revoked"
      call={{
        method: 'POST',
        path: `/api-tokens/${token.id}/revoke`,
        sdk: { method: 'apiTokens.revoke', args: [token.id] },
      }}
      run={async (key) => {
        await api.apiTokens.revoke(token.id, key)
        await invalidate('api_token')
      }}
      onDone={onClose}
    />
  )
}
