declare module 'textlint-rule-terminology'
declare module 'textlint-rule-en-max-word-count'
