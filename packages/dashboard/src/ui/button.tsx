/** Buttons. A button that is not permitted stays visible, explains why, and does nothing. */
import type { ComponentProps, ReactNode } from 'react'
import { useId } from 'react'
import type { DisabledReason } from '../api/workspace.tsx'

type Variant = 'primary' | 'plain' | 'danger' | 'quiet'

const variants: { readonly [V in Variant]: string } = {
  primary: 'bg-ink text-surface border-ink hover:bg-ink2',
  plain: 'bg-surface text-ink border-edge hover:bg-sunken',
  danger: 'bg-surface text-danger border-danger hover:bg-danger-soft',
  quiet: 'bg-transparent text-ink2 border-transparent hover:bg-sunken hover:text-ink',
}

export type ButtonProps = Omit<ComponentProps<'button'>, 'disabled'> & {
  variant?: Variant
  /** Why the button is disabled; null if it is enabled. */
  disabledReason?: DisabledReason | undefined
  isBusy?: boolean | undefined
  compact?: boolean
  children: ReactNode
}

export function Button(props: ButtonProps) {
  const {
    variant = 'plain',
    disabledReason = null,
    isBusy = false,
    compact = false,
    children,
    onClick,
    ...rest
  } = props
  const reasonId = useId()
  const isDisabled = disabledReason !== null || isBusy
  const size = compact ? 'min-h-6 px-2 text-compact' : 'min-h-8 px-3 max-md:min-h-11'
  const opacity = isDisabled ? 'opacity-60' : ''
  return (
    <>
      <button
        type="button"
        {...rest}
        className={`inline-flex items-center justify-center gap-2 rounded-control border font-bold whitespace-nowrap ${size} ${variants[variant]} ${opacity} ${rest.className ?? ''}`}
        aria-disabled={isDisabled}
        aria-describedby={disabledReason === null ? rest['aria-describedby'] : reasonId}
        title={disabledReason ?? rest.title}
        onClick={(event) => {
          if (isDisabled) event.preventDefault()
          else onClick?.(event)
        }}
      >
        {children}
      </button>
      {disabledReason !== null && (
        <span id={reasonId} hidden>
          {disabledReason}
        </span>
      )}
    </>
  )
}

export function IconButton({ label, ...props }: ButtonProps & { label: string }) {
  return <Button {...props} aria-label={label} title={label} className={`px-2 ${props.className ?? ''}`} />
}
