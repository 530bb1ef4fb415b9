/** Texts that every window reads: shell, shared parts, the core’s, and each page’s name and commands. One request of a start. */
export default {
  ...import.meta.glob(['../../app/shell.en.json', './shared.en.json', '../deletions/deletions.en.json'], {
    eager: true,
    import: 'default',
  }),
  ...import.meta.glob('../../features/*/index.en.json', { eager: true, import: 'default' }),
  ...import.meta.glob('../../../../electron/contract/*.en.json', {
    eager: true,
    import: 'default',
    query: '?catalogue',
  }),
}
