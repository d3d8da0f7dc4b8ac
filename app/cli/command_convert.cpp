// SPDX-License-Identifier: GPL-3.0-or-later
// `lanewright-cli convert`: one file, or a folder, through a pipeline made up of the options.
#include "app/cli/commands.h"
#include "app/cli/convert_project.h"
#include "app/cli/exports.h"
#include "app/cli/job_options.h"
#include "app/cli/perform.h"

#include <CLI/CLI.hpp>

namespace lanewright::cli {
namespace {

class ConvertCommand final : public Command {
public:
    const char* name() const override { return "convert"; }
    const char* description() const override {
        return "Converts an image file, or a folder of them, without a project.";
    }

    void declare(CLI::App& app) override {
        app.add_option("IN", m_convert.in, "An image file, or a folder that is searched")->required();
        app.add_option("OUT", m_convert.out, "The file to write; of a folder: the folder to write to")->required();
        app.add_option("--resize", m_convert.resize, "Length of the longer side, or the box to fit inside")
            ->type_name("N|WxH");
        app.add_option("--blur", m_convert.blur, "Gaussian blur of that sigma in pixels")->type_name("S");
        app.add_option("--quality", m_convert.quality, "Of JPEG, 1 to 100")->type_name("Q");
        app.add_option("--format", m_convert.format, "Format of the files written to a folder, instead of JPEG")
            ->type_name("jpg|png");
        declareRunOptions(app, m_options);
        m_exports.declareSave(app);
        m_exports.declareExporters(app);
        app.footer("The stages are decode, resize, blur and encode: --place resize=opencl:0.");
    }

    Result<ExitCode> run(const Context& context) override {
        auto project = convertProject(m_convert, context.catalog);
        if (!project) return std::move(project).error();
        if (Status applied = applyOptions(*project, m_options); !applied) return applied.error();
        return perform({std::move(project).value(), "convert", m_options, m_exports, JobKind::run}, context);
    }

private:
    ConvertOptions m_convert;
    JobOptions m_options;
    ExportOptions m_exports;
};

}  // namespace

std::unique_ptr<Command> makeConvertCommand() { return std::make_unique<ConvertCommand>(); }

}  // namespace lanewright::cli
