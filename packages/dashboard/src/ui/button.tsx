/** Buttons. What somebody may not do stays visible, says why, and does nothing. */
import type { ComponentProps, ReactNode } from 'react'
import { useId } from 'react'
import type { Refused } from '../api/workspace.tsx'

type Look = 'primary' | 'plain' | 'danger' | 'quiet'

const looks: { readonly [L in Look]: string } = {
  primary: 'bg-ink text-surface border-ink hover:bg-ink2',
  plain: 'bg-surface text-ink border-edge hover:bg-sunken',
  danger: 'bg-surface text-danger border-danger hover:bg-danger-soft',
  quiet: 'bg-transparent text-ink2 border-transparent hover:bg-sunken hover:text-ink',
}

export type ButtonProps = Omit<ComponentProps<'button'>, 'disabled'> & {
  look?: Look
  /** Why it cannot be used, if it cannot. */
  refused?: Refused | undefined
  isBusy?: boolean | undefined
  compact?: boolean
  children: ReactNode
}

export function Button(props: ButtonProps) {
  const {
    look = 'plain',
    refused = null,
    isBusy = false,
    compact = false,
    children,
    onClick,
    ...rest
  } = props
  const reasonId = useId()
  const isOff = refused !== null || isBusy
  const size = compact ? 'min-h-6 px-2 text-compact' : 'min-h-8 px-3 max-md:min-h-11'
  const off = isOff ? 'opacity-60' : ''
  return (
    <>
      <button
        type="button"
        {...rest}
        className={`inline-flex items-center justify-center gap-2 rounded-control border font-bold whitespace-nowrap ${size} ${looks[look]} ${off} ${rest.className ?? ''}`}
        aria-disabled={isOff}
        aria-describedby={refused === null ? rest['aria-describedby'] : reasonId}
        title={refused ?? rest.title}
        onClick={(event) => {
          if (isOff) event.preventDefault()
          else onClick?.(event)
        }}
      >
        {children}
      </button>
      {refused !== null && (
        <span id={reasonId} hidden>
          {refused}
        </span>
      )}
    </>
  )
}

export function IconButton({ label, ...props }: ButtonProps & { label: string }) {
  return <Button {...props} aria-label={label} title={label} className={`px-2 ${props.className ?? ''}`} />
}
