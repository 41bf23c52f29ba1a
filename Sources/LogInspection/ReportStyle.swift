/// The look of a store's page: two colour schemes, one column on a phone.
enum ReportStyle {
    static let css = """
        :root{color-scheme:light dark;--page:#f6f6f4;--card:#ffffff;--ink:#1c1c1a;--soft:#5f5f5a;--line:#dddcd6;
        --put:#2a6fc9;--delete:#c2571a;--live:#1f8a70;--dead:#b9b8b0;--other:#e6e5df;--sound:#1a7f4b;
        --torn:#9a6200;--tornfill:#e0a526;--corrupt:#b3261e;--corruptfill:#d93025}
        @media (prefers-color-scheme:dark){:root{--page:#161615;--card:#20201f;--ink:#eceae4;--soft:#a5a39b;
        --line:#3a3936;--put:#6aa5f0;--delete:#e8894a;--live:#3fb795;--dead:#6b6a64;--other:#383733;--sound:#5fc98f;
        --torn:#e8b64a;--tornfill:#c98f1c;--corrupt:#f28b82;--corruptfill:#e5534b}}
        *{box-sizing:border-box}
        body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
        main{max-width:64rem;margin:0 auto;padding:1rem}
        h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0;overflow-wrap:anywhere}
        h2{font-size:1.1rem;margin:0 0 .75rem}
        h3{font-size:.95rem;margin:1rem 0 .25rem;font-weight:600;overflow-wrap:anywhere}
        section{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:1rem;margin:1rem 0}
        p{margin:.25rem 0}.soft{color:var(--soft);font-size:.875rem}
        .verdict{font-weight:600}.sound{color:var(--sound)}.tornTail{color:var(--torn)}
        .corruption,.newerFormat{color:var(--corrupt)}
        dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr));gap:.75rem;margin:0}
        dt{color:var(--soft);font-size:.8125rem}dd{margin:0;font-size:1.05rem;overflow-wrap:anywhere}
        svg{display:block;width:100%}
        .chart{height:9rem;border-bottom:1px solid var(--line)}.map{height:1.75rem;border-radius:.25rem;
        background:var(--other)}
        .axis{display:flex;justify-content:space-between;gap:.5rem;color:var(--soft);font-size:.8125rem;
        margin:.25rem 0 .75rem}
        .axis span{min-width:0;overflow-wrap:anywhere}.axis span:nth-child(2):not(:last-child){text-align:center}.axis span:last-child{text-align:right}
        .key{display:flex;flex-wrap:wrap;gap:.25rem 1rem;color:var(--soft);font-size:.8125rem;margin:.25rem 0 .75rem;
        padding:0;list-style:none}
        .key i{display:inline-block;width:.75rem;height:.75rem;border-radius:.125rem;margin-right:.375rem;
        vertical-align:-.0625rem}
        .scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
        th{font-weight:400;color:var(--soft);font-size:.8125rem;text-align:left}
        th,td{padding:.3rem .75rem .3rem 0;border-bottom:1px solid var(--line);vertical-align:top}
        .n{text-align:right;white-space:nowrap}td.id{overflow-wrap:anywhere;min-width:8rem}
        .bar{min-width:5rem;width:30%}.bar svg{height:.75rem;margin-top:.4rem;background:var(--other);
        border-radius:.125rem}
        ol.faults{margin:.75rem 0 0;padding:0;list-style:none}
        ol.faults li{border-left:.25rem solid var(--corruptfill);padding:.25rem 0 .25rem .75rem;margin:.75rem 0;color:var(--ink)}
        ol.faults li.tornTail{border-color:var(--tornfill)}.wide{grid-column:span 2}
        code,.value{font-family:ui-monospace,monospace;font-size:.875rem;overflow-wrap:anywhere}
        details{border-top:1px solid var(--line)}summary{cursor:pointer;padding:.5rem 0;overflow-wrap:anywhere}
        .version{margin:.25rem 0 .75rem 1rem}.version ul{margin:0;padding:0 0 0 1rem;list-style:none}
        .fput{fill:var(--put)}.fdelete{fill:var(--delete)}.fbytes{fill:var(--live)}.flive{fill:var(--live)}
        .fdead{fill:var(--dead)}.ftorn{fill:var(--tornfill)}.fcorrupt{fill:var(--corruptfill)}
        .bput{background:var(--put)}.bdelete{background:var(--delete)}.blive{background:var(--live)}
        .bdead{background:var(--dead)}.bother{background:var(--other);outline:1px solid var(--line)}
        .btorn{background:var(--tornfill)}.bcorrupt{background:var(--corruptfill)}
        """
}
