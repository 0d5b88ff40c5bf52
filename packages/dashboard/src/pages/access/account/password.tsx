import { useState } from 'react'
import { fetchSession } from '../../../session/session-api.ts'
import { ActionForm } from '../../../ui/action.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { Panel } from '../../../ui/panel.tsx'

/** A new password ends all other sessions. */
export function PasswordForm() {
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  return (
    <Panel title="Password">
      <ActionForm
        submit="Change password"
        successMessage="Password changed. All other sessions are signed out."
        run={() => fetchSession('PUT', '/session/password', { current, password })}
        onDone={() => {
          setCurrent('')
          setPassword('')
        }}
      >
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          hint="Leave empty if you have no password yet."
          value={current}
          onChange={setCurrent}
        />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          hint="At least 12 characters."
          value={password}
          onChange={setPassword}
        />
      </ActionForm>
    </Panel>
  )
}
