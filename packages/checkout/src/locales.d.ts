declare module 'virtual:locales' {
  /** Every language but English, by its tag. */
  const files: Readonly<Record<string, { readonly url: string; readonly integrity: string }>>
  export default files
}
