; Offers Switchboard under "Open with" for CSV files. The builder's own association would make it their default.
!define CSV_CLASS "Switchboard.csv"

!macro customInstall
  WriteRegStr SHELL_CONTEXT "Software\Classes\${CSV_CLASS}" "" "CSV file"
  WriteRegStr SHELL_CONTEXT "Software\Classes\${CSV_CLASS}\shell\open\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
  WriteRegNone SHELL_CONTEXT "Software\Classes\.csv\OpenWithProgids" "${CSV_CLASS}"
!macroend

!macro customUnInstall
  DeleteRegValue SHELL_CONTEXT "Software\Classes\.csv\OpenWithProgids" "${CSV_CLASS}"
  DeleteRegKey SHELL_CONTEXT "Software\Classes\${CSV_CLASS}"
!macroend
