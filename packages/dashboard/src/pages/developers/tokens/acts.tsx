/** Making, rolling and revoking tokens. */
import type { ApiToken, CreateApiToken } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { RadioField, SelectField, TextField } from '../../../ui/fields.tsx'
import { isoOf } from '../webhooks/local-time.ts'
import { overlaps } from '../webhooks/overlap.ts'

/** Null: the answer was that of an earlier try, which has shown the token already. */
type OnMade = (text: string | null) => void

const kinds = [
  { value: 'ADMIN', text: 'Secret, ADMIN: everything' },
  { value: 'DEVELOPER', text: 'Secret, DEVELOPER: makes and changes objects' },
  { value: 'SUPPORT', text: 'Secret, SUPPORT: refunds, cancels, pauses, resends' },
  { value: 'READ_ONLY', text: 'Secret, READ_ONLY: looks' },
  { value: 'publishable', text: 'Publishable: for pages, opens next to nothing' },
]

export function CreateToken({ onMade, onClose }: { onMade: OnMade; onClose: () => void }) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const [name, setName] = useState('')
  const [kind, setKind] = useState('DEVELOPER')
  const [end, setEnd] = useState('')
  const body = {
    name,
    ...(kind === 'publishable' ? { kind } : { role: kind }),
    ...(end === '' ? {} : { expires_at: isoOf(end) }),
  } as CreateApiToken
  return (
    <ActionDialog
      title="Make a token"
      submit="Make the token"
      refused={may('api_tokens.create')}
      call={{ method: 'POST', path: '/api-tokens', body, sdk: { method: 'apiTokens.create', args: [body] } }}
      run={async (key) => {
        const { token } = await api.apiTokens.create(body, key)
        await reread('api_token')
        onMade(token)
      }}
      onDone={() => undefined}
      onCancel={onClose}
    >
      <TextField
        label="Name"
        pointer="/name"
        hint="For people: what uses it."
        placeholder="Shop server"
        value={name}
        onChange={setName}
        autoFocus
      />
      <SelectField label="Kind and role" pointer="/role" value={kind} onChange={setKind} options={kinds} />
      <TextField
        label="Ends"
        type="datetime-local"
        pointer="/expires_at"
        hint="Empty: never."
        value={end}
        onChange={setEnd}
      />
    </ActionDialog>
  )
}

export function RollToken(props: { token: ApiToken; onMade: OnMade; onClose: () => void }) {
  const { token, onMade, onClose } = props
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const [overlap, setOverlap] = useState('3600')
  const body = { overlap_seconds: Number(overlap) }
  return (
    <ActionDialog
      title={`Roll ${token.name}`}
      intro="It gets a new text, shown once. The old one works on for the overlap, so that your server can change over."
      submit="Roll the token"
      refused={may('api_tokens.roll')}
      call={{
        method: 'POST',
        path: `/api-tokens/${token.id}/roll`,
        body,
        sdk: { method: 'apiTokens.roll', args: [token.id, body] },
      }}
      run={async (key) => {
        const rolled = await api.apiTokens.roll(token.id, body, key)
        await reread('api_token')
        onMade(rolled.token)
      }}
      onDone={() => undefined}
      onCancel={onClose}
    >
      <RadioField legend="The old text works for" value={overlap} onChange={setOverlap} options={overlaps} />
    </ActionDialog>
  )
}

export function RevokeToken({ token, onClose }: { token: ApiToken; onClose: () => void }) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  return (
    <ActionDialog
      title={`Revoke ${token.name}`}
      intro="Whoever uses it is refused within five seconds, for good. To change it without a pause, roll it instead."
      submit="Revoke the token"
      danger
      refused={may('api_tokens.revoke')}
      done="The token is revoked."
      call={{
        method: 'POST',
        path: `/api-tokens/${token.id}/revoke`,
        sdk: { method: 'apiTokens.revoke', args: [token.id] },
      }}
      run={async (key) => {
        await api.apiTokens.revoke(token.id, key)
        await reread('api_token')
      }}
      onDone={onClose}
    />
  )
}
